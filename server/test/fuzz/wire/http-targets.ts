import type { SeededRandom } from './wire-random.ts';

const handles = [
  ...['seed', 'seed@1', 'seed@99', 'seed@0', 'SEED', 'wide', 'f0', 'f1', 'f2@1', 'f3', 'f4', 'f5', 'nothing'],
  ...['', '@', 'a@', 'a@-1', 'a@1e9', 'a@99999999999999999999', '@1', 'a@1@2', '.', '..', '...', '%2e%2e'],
  ...['..%2f..%2fetc%2fpasswd', '%00', 'a%00b', '%ff', '%', '%z', '%zz', '%C0%AF', '%E2%82', '%ED%A0%80'],
  ...[
    '%F0%9F%98%80',
    '%25',
    '%2525',
    'a%20b',
    'a+b',
    'a;b',
    'a:b',
    '*',
    '~',
    "'",
    '"',
    '<a>',
    '{}',
    '[1]',
    '|',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'a/b',
    'a\\b',
    'a#b',
    '-',
    '_',
    'x'.repeat(128),
    'x'.repeat(129),
  ],
  ...['%61'.repeat(128), '%61'.repeat(200), 'x'.repeat(600), 'é', 'ａ', '\u0000', 'NaN', 'null', 'seed%401'],
];
const goodHandles = ['seed', 'seed@1', 'wide', 'f0', 'f1', 'f2', 'f3', 'f4', 'f5'];
const goodPairs = [
  ...[
    'handle=seed',
    'handle=wide',
    'fmt=json',
    'fmt=csv',
    'fmt=ndjson',
    'fmt=arrow',
    'fmt=parquet',
    'limit=1',
  ],
  ...['limit=10', 'columns=a', 'quoteLargeNum=true', 'query=select%201', 'ttl=1h', 'prefix=f'],
];
export const paths = [
  ...[
    '/ping',
    '/healthz',
    '/readyz',
    '/metrics',
    '/v1/openapi.json',
    '/exec',
    '/exp',
    '/v1/frames',
    '/v1/sql',
  ],
  ...['/v1/queries', '/v1/queries/HANDLE', '/v1/frames/HANDLE', '/v1/frames/HANDLE/versions'],
  ...['/v1/frames/HANDLE/rows', '/v1/frames/HANDLE/rows', '/v1/frames/HANDLE'],
];
export const oddPaths = [
  ...[
    '',
    '*',
    '/',
    '//',
    '///ping',
    '/PING',
    '/ping/',
    '/ping%2f',
    '/%70ing',
    '/./ping',
    '/../ping',
    '/ping;a=b',
    '/exec/',
    '//exec',
    '/EXEC?handle=seed',
    '/%65xec?handle=seed&fmt=json',
    'http://a/exec?query=%',
  ],
  ...[
    'ping',
    'http://other/ping',
    'http://',
    'https://a:b@c/ping',
    '/v1',
    '/v1/',
    '/v1/frames/',
    '/v1//frames',
  ],
  ...[
    '/v1/frames/a/b/c/d',
    '/\u0000',
    '/ping\u0000',
    '/ping#f',
    '/ping?',
    '/ping??',
    '/?/ping',
    '\\ping',
    '/%',
  ],
  ...['/v1/frames/%2F/rows', '/v1/frames/seed%2Frows', `/${'a/'.repeat(500)}`, `/${'a'.repeat(70_000)}`],
];
const parameters: Readonly<Record<string, readonly string[]>> = {
  handle: handles,
  fmt: ['json', 'csv', 'ndjson', 'arrow', 'parquet', 'xml', '', 'JSON', '%6ason', 'json%00', '__proto__'],
  limit: [
    '0',
    '1',
    '10',
    '-1',
    '1e3',
    '999999999999999',
    '9999999999999999',
    '',
    'NaN',
    ' 1',
    '%31',
    '1.5',
    '0x10',
  ],
  columns: ['a', 'a,b', 'b,a,b', '', ',', 'nope', 'a,%00', '__proto__', 'a'.repeat(2000), ','.repeat(3000)],
  cursor: [
    '',
    'x',
    'bnVsbA',
    'e30',
    'WzFd',
    'IngiIg',
    'eyJoYW5kbGUiOiJzZWVkQDEiLCJvZmZzZXQiOjF9',
    '%',
    'MQ',
    '%00',
  ],
  quoteLargeNum: ['true', 'false', '', '1', 'TRUE'],
  query: ['select 1', 'SELECT * FROM seed', '%', '', ';', '%00', 'select%0a1', 'é'],
  parameters: [
    '[]',
    '[1]',
    '{}',
    '{"a":1}',
    '[',
    'null',
    '1',
    '[[[[[[]]]]]]',
    '{"__proto__":1}',
    '[1e999]',
    '["\\ud800"]',
  ],
  prefix: ['', 's', 'f', '%', '%25', '_', '%00', 'é', 'x'.repeat(200)],
  ttl: ['1', '30d', '0', '-1', '1e9', '', 'x', '99999999999999d', '1.5h', 'null', '0.000001'],
  mode: ['create', 'replace', 'append', 'drop', ''],
  into: ['f5', 'f6', '', 'a@1', '%00'],
  id: ['q1', '', 'x'.repeat(65), '%00', '../x', 'a b'],
  delimiter: [',', ';', '%09', '', ',,', '%00', '"', '%0a', 'é'],
  null: ['', 'NA', '%00', 'x'.repeat(1000)],
  types: [
    '{}',
    '{"a":"BIGINT"}',
    '{"a":"NOPE"}',
    '[',
    '{"a":1}',
    '{"__proto__":"INT"}',
    '{"a":"DECIMAL(99,99)"}',
  ],
};
const rowsParameters = ['fmt', 'limit', 'columns', 'cursor', 'quoteLargeNum'];
const uploadParameters = ['ttl', 'delimiter', 'null', 'types'];
const taken: readonly (readonly [ending: RegExp, names: readonly string[]])[] = [
  [/^\/exp$/, ['handle', ...rowsParameters]],
  [/\/rows$/, [...rowsParameters, ...uploadParameters]],
  [/\/versions$/, ['limit', 'cursor']],
  [/^\/v1\/frames$/, ['prefix', 'limit', 'cursor', ...uploadParameters]],
  [/^\/v1\/frames\/[^/]*$/, uploadParameters],
  [/\/sql$/, ['query', 'parameters', 'fmt', 'limit', 'quoteLargeNum', 'id', 'into', 'mode', 'ttl']],
];

/** With any method of the path. */
function takenOn(path: string): readonly string[] {
  return taken.find(([ending]) => ending.test(path))?.[1] ?? Object.keys(parameters);
}

/** Slips, names of other services, and thousands of parameters in one URL. */
const oddPairs = [
  ...[
    'limt=1',
    'format=csv',
    'offset=1',
    'delim=;',
    'expire=1h',
    'cols=a',
    'FMT=csv',
    '__proto__=1',
    '=1',
    '=',
  ],
  ...[
    'link=',
    'link=x',
    'link=x&link=y',
    `link=${'&%'.repeat(16_000)}`,
    '&'.repeat(30_000),
    '%'.repeat(30_000),
  ],
  ...['%0d%0aa:b=1', '%ff=1', '\x80=1', `${'k'.repeat(5_000)}=1`],
];

/** A path and parameters, mostly ones that belong together. */
export function target(random: SeededRandom, from: readonly string[]): string {
  const path = random
    .pick(from)
    .replace('HANDLE', () => (random.percent(60) ? random.pick(goodHandles) : random.pick(handles)));
  if (random.percent(35)) return path;
  const pairs: string[] = [];
  // Mostly what the route takes: with any other parameter it refuses before it looks at the rest.
  const names = random.percent(85) ? takenOn(path) : Object.keys(parameters);
  for (let count = random.below(5); count > 0; count--) {
    const name = random.pick(names);
    const good = goodPairs.filter((pair) => names.includes(pair.split('=')[0] ?? ''));
    if (random.percent(60) && good.length > 0) pairs.push(random.pick(good));
    else pairs.push(random.percent(92) ? `${name}=${random.pick(parameters[name] ?? [''])}` : name);
  }
  if (random.percent(3)) pairs.push(random.pick(oddPairs));
  if (random.percent(3))
    pairs.push(...Array.from({ length: random.below(500) }, (_, index) => `p${index}=1`));
  return `${path}?${pairs.join(random.percent(95) ? '&' : random.pick([';', '&&', '%26']))}`;
}

/** As a URL may have it: what a request line cannot hold is percent-encoded. */
export function encodeTarget(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, (letter) => encodeURIComponent(letter)).replaceAll('#', '%23');
}
