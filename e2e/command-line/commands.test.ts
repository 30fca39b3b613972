/** The commands for frames, in pipes: as scripts use them. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type CommandOptions, runCommand } from '../../server/test/support/frame-command.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { runPythonByItself } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const csv = 'id,name,price\n9007199254740993,"a ""quoted"" one",0.1\n2,日本,\n';
const folder = temporaryFolder('cli');
let server: Framehold;

before(async () => {
  server = await Framehold.start();
  writeFileSync(join(folder, 'first.csv'), csv);
  writeFileSync(join(folder, 'more.csv.gz'), gzipSync('id,name,price\n3,c,2.5\n'));
});
after(async () => {
  await server.remove();
  removeFolder(folder);
});

const framehold = (args: readonly string[], options: CommandOptions = {}) =>
  runCommand(args, {
    cwd: folder,
    ...options,
    env: { HOME: folder, FRAMEHOLD_URL: server.url, ...options.env },
  });

async function succeed(...args: readonly string[]): Promise<string> {
  const { code, text, errors } = await framehold(args);
  assert.equal(code, 0, errors);
  assert.equal(errors, '');
  return text;
}

async function runningQueries(): Promise<number> {
  const { queries } = (await (await fetch(`${server.url}/v1/queries`)).json()) as { queries: unknown[] };
  return queries.length;
}

const json = async (...args: readonly string[]) =>
  JSON.parse(await succeed(...args)) as Record<string, unknown>;

test('a file is put, appended to, listed, shown, read, restored, dropped and undropped', async () => {
  const put = await json('put', 'first.csv', '--ttl', '1d', '--link');
  assert.deepEqual([put.handle, put.rows], ['first@1', 2]);
  const { url } = put.link as { url: string };
  assert.match(await (await fetch(url)).text(), /9007199254740993/);

  const more = await json('put', 'more.csv.gz', 'first', '--append', '--keep', '20');
  assert.deepEqual([more.handle, more.versionsKeep], ['first@2', 20]);
  assert.equal((await json('show', 'first')).versionsKeep, 20);
  const listed = (await succeed('ls'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    listed.map(({ handle, rows }) => [handle, rows]),
    [['first@2', 3]],
  );
  assert.equal(await succeed('ls', '--names', 'fi'), 'first\n');
  assert.equal(await succeed('ls', 'nothing'), '');
  assert.deepEqual(
    ((await json('show', 'first')).columns as { name: string }[]).map(({ name }) => name),
    ['id', 'name', 'price'],
  );
  assert.equal((await succeed('show', 'first', '--versions')).trim().split('\n').length, 2);
  // Every digit of a large integer, which a double would round.
  assert.match(
    await succeed('head', 'first', '-n', '1'),
    /^\{"id":9007199254740993,"name":"a \\"quoted\\" one","price":0\.1\}\n$/,
  );
  const table = await succeed('head', 'first', '--format', 'table');
  assert.match(table, /^ {14}id {2}name/);
  assert.match(table, /9007199254740993 {2}a "quoted" one/);
  assert.match(table, / 2 {2}日本 {16}∅/);

  const diff = await json('diff', 'first@1');
  assert.deepEqual((diff.rows as { kind: string }).kind, 'appended');
  assert.deepEqual(diff.added, [{ id: 3, name: 'c', price: 2.5 }]);
  assert.equal((await json('restore', 'first@1')).handle, 'first@3');
  const compared = await json('diff', 'first@2', 'first@3');
  assert.deepEqual([compared.added, compared.removed], [[], [{ id: 3, name: 'c', price: 2.5 }]]);
  assert.equal((await framehold(['diff', 'first@1', 'first@3', '--exit-code'])).code, 0);
  assert.equal((await framehold(['diff', 'first@2', 'first@3', '--exit-code'])).code, 1);

  const link = await json('link', 'first', '--ttl', '1h');
  const links = (await succeed('link', 'first', '--list')).trim().split('\n');
  assert.equal(links.length, 2);
  assert.deepEqual(await json('link', 'first', '--revoke', String(link.id)), { revoked: link.id });

  assert.deepEqual(await json('rm', 'first'), { dropped: 'first', purged: false });
  assert.equal((await framehold(['show', 'first'])).code, 3);
  assert.equal((await json('undrop', 'first')).handle, 'first@3');
  assert.equal((await framehold(['put', 'first.csv', '--create'])).code, 7);
  const guarded = await json('put', 'first.csv', 'guarded');
  assert.equal((await framehold(['put', 'first.csv', 'guarded', '--if-version', '2'])).code, 7);
  assert.equal((await json('put', 'first.csv', 'guarded', '--if-version', '1')).handle, 'guarded@2');
  const stale = await framehold(['put', 'first.csv', 'guarded', '--append', '--if-version', '1']);
  assert.deepEqual([guarded.handle, stale.code], ['guarded@1', 7]);
  assert.equal((await framehold(['put', 'first.csv', '--create', '--if-version', '1'])).code, 2);
});

test('get writes the format of the suffix, whole or not at all', async () => {
  for (const [file, begins] of [
    ['a.parquet', 'PAR1'],
    ['a.csv', 'id,name'],
    ['a.ndjson', '{"id"'],
  ] as const) {
    await succeed('get', 'first@1', file);
    assert.ok(readFileSync(join(folder, file), 'utf8').startsWith(begins), file);
  }
  assert.equal(
    await succeed('get', 'first@1', '-f', 'csv', '--columns', 'name', '-n', '1'),
    'name\r\n"a ""quoted"" one"\r\n',
  );
  // What a pipe gets is an Arrow stream, and it can be put again.
  const { output } = await framehold(['get', 'first@1']);
  assert.equal(output.readUInt32LE(0), 0xffffffff);
  const again = await framehold(['put', '-', 'copy'], { input: output });
  assert.equal(JSON.parse(again.text).rows, 2);
  writeFileSync(join(folder, 'kept.csv'), 'as it was');
  assert.equal((await framehold(['get', 'nothing', 'kept.csv'])).code, 3);
  assert.equal(readFileSync(join(folder, 'kept.csv'), 'utf8'), 'as it was');
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('sql takes statements from an argument, a file or a pipe, with parameters', async () => {
  const sum = await succeed(
    'sql',
    '-c',
    'SELECT count(*) AS n, $x AS x FROM first WHERE id > $low',
    '-p',
    'x=text',
    '-p',
    'low=5',
  );
  assert.equal(sum, '{"n":1,"x":"text"}\n');
  writeFileSync(join(folder, 'two.sql'), "-- a comment;\nSELECT 1 AS a;\nSELECT ';' AS b;\n");
  assert.equal(await succeed('sql', 'two.sql'), '{"a":1}\n{"b":";"}\n');
  const piped = await framehold(['sql', '-f', 'csv'], {
    input: 'SELECT 12345678901234567890::DECIMAL(38,2) AS d',
  });
  assert.equal(piped.text, 'd\r\n12345678901234567890.00\r\n');
  const made = await framehold(['sql', '-c', 'SELECT * FROM first', '--into', 'made']);
  assert.equal(JSON.parse(made.text).handle, 'made@1');
  const created = await framehold(['sql', '-c', 'CREATE TABLE other AS SELECT 1 AS a']);
  assert.deepEqual([created.code, created.text, created.errors], [0, '', 'other@1  1 row\n']);
  const table = await succeed('sql', '-c', 'SELECT range AS r FROM range(5000)', '-f', 'table', '-n', '2');
  assert.equal(table, 'r\n─\n0\n1\n(the first 2 rows; --limit shows more)\n');
});

test('a statement that fails after its first rows is an error, not a short answer', async () => {
  const sql =
    "SELECT CASE WHEN range < 900000 THEN range ELSE CAST('x' || range AS BIGINT) END AS a FROM range(1000000)";
  const { code, errors } = await framehold(['sql', '-c', sql, '-f', 'ndjson']);
  assert.notEqual(code, 0);
  assert.match(errors, /Could not convert|x900/);
});

test('Ctrl-C cancels the statement on the server; a closed pipe ends quietly', async () => {
  const endless = 'SELECT count(*) FROM range(100000000000) a, range(1000) b';
  const stopped = await framehold(['sql', '-c', endless], {
    interruptWhen: async () => (await runningQueries()) > 0,
  });
  assert.deepEqual([stopped.code, stopped.text, stopped.errors], [130, '', '']);
  await server.until('the end of the statement', async () => ((await runningQueries()) === 0 ? true : null));
  const cut = await framehold(['sql', '-c', 'SELECT range FROM range(3000000)'], { readBytesMax: 10 });
  assert.deepEqual([cut.code, cut.errors], [141, '']);
});

test('memory does not grow with what is put or read', async () => {
  // 200 MB from a pipe, as a program that makes them would send them.
  const script = `
import subprocess, sys, json, resource
command, environment = json.load(sys.stdin)
put = subprocess.Popen(command + ['put', '-', 'large'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
line = b'1234567890,' + b'x' * 88 + b'\\n'
put.stdin.write(b'a,b\\n')
for _ in range(200): put.stdin.write(line * 10000)
put.stdin.close()
rows = json.loads(put.stdout.read())['rows']
code = put.wait()
get = subprocess.run(command + ['get', 'large', environment['HOME'] + '/large.csv'], env=environment)
print(json.dumps([code, rows, get.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]))
`;
  const { serverCommand } = await import('../../server/test/support/framehold-process.ts');
  const environment = { PATH: process.env.PATH ?? '', HOME: folder, FRAMEHOLD_URL: server.url };
  const answer = (await runPythonByItself(['-c', script], [[...serverCommand], environment])) as number[];
  const [code, rows, readCode, kilobytes = 0] = answer;
  assert.deepEqual([code, rows, readCode], [0, 2_000_000, 0]);
  assert.equal(statSync(join(folder, 'large.csv')).size, 2_000_000 * 101 + 5);
  assert.ok(kilobytes < 200_000, `${kilobytes} kB`);

  // Ctrl-C in the middle leaves nothing behind.
  const cut = await framehold(['get', 'large', 'cut.csv'], {
    interruptWhen: () => readdirSync(folder).some((name) => name.includes('cut.csv')),
  });
  assert.equal(cut.code, 130);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.includes('cut.csv')),
    [],
  );
});

test('watch prints what happens to the frames that are named', async () => {
  // From the first event on, so that it does not matter when the connection is made.
  const watching = framehold(['watch', 'watched', '-n', '2', '--after', '0']);
  await framehold(['put', 'first.csv', 'unwatched']);
  await framehold(['put', 'first.csv', 'watched']);
  await framehold(['rm', 'watched']);
  const { code, text } = await watching;
  assert.equal(code, 0);
  assert.deepEqual(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).kind),
    ['frame.created', 'frame.dropped'],
  );
});

test('watch --count 0 ends at once', async () => {
  const { code, text } = await framehold(['watch', '--count', '0']);
  assert.deepEqual([code, text], [0, '']);
});

test('the address may be written before the command', async () => {
  await succeed('put', 'first.csv', 'addressed');
  const env = { FRAMEHOLD_URL: 'http://127.0.0.1:1' };
  const { code, text, errors } = await framehold(['--url', server.url, 'ls', 'addressed', '--names'], {
    env,
  });
  assert.deepEqual([code, text, errors], [0, 'addressed\n', '']);
});

test('doctor finds what is wrong with a server of this machine', async () => {
  const flags = (more: Record<string, string> = {}) => ({
    env: {
      FRAMEHOLD_HTTP_BIND_ADDRESS: new URL(server.url).host,
      FRAMEHOLD_GRPC_PORT: new URL(server.grpcUrl).port,
      FRAMEHOLD_GRPC_HOST: '127.0.0.1',
      ...more,
    },
  });
  const well = await framehold(['doctor', '--json', '--data-dir', server.dataDirectory], flags());
  assert.equal(well.code, 0, well.text);
  const states = Object.fromEntries(
    (JSON.parse(well.text).findings as { check: string; state: string }[]).map(({ check, state }) => [
      check,
      state,
    ]),
  );
  assert.deepEqual(states, {
    'this command': 'ok',
    address: 'ok',
    connection: 'ok',
    clock: 'ok',
    token: 'ok',
    server: 'ok',
    versions: 'ok',
    settings: 'ok',
    'port of HTTP': 'ok',
    'port of Flight': 'ok',
    'port for PostgreSQL clients': 'skipped',
    TLS: 'skipped',
    'data directory': 'ok',
    disk: 'ok',
    catalog: 'ok',
    'external database': 'skipped',
  });
  const damaged = join(folder, 'damaged');
  mkdirSync(damaged);
  writeFileSync(join(damaged, 'catalog.sqlite'), 'not a catalog');
  const ill = await framehold(
    ['doctor', '--data-dir', damaged, '--url', 'http://127.0.0.1:1'],
    flags({
      FRAMEHOLD_GRPC_PORT: new URL(server.url).port,
      FRAMEHOLD_HTTP_BIND_ADDRESS: '192.0.2.1:9',
      FRAMEHOLD_STORAGE_RESERVE_BYTES: '900TB',
      FRAMEHOLD_TSDB_HTTP_URL: 'http://127.0.0.1:1',
      FRAMEHOLD_TLS_CERT_FILE: join(folder, 'first.csv'),
      FRAMEHOLD_TLS_KEY_FILE: join(folder, 'first.csv'),
    }),
  );
  assert.equal(ill.code, 1);
  for (const check of [
    'connection',
    'port of HTTP',
    'port of Flight',
    'TLS',
    'disk',
    'catalog',
    'external database',
  ])
    assert.match(ill.text, new RegExp(`^PROBLEM  ${check} .*\\n +→ .+`, 'm'), ill.text);
});

test('login tries the token before it is saved, and the profile is private', async () => {
  // From now on the server wants one: this is the last test.
  const token = newToken(server.dataDirectory, 'default', 'read,write');
  const env = { HOME: join(folder, 'user'), FRAMEHOLD_URL: '' };
  mkdirSync(env.HOME);
  const profile = join(env.HOME, '.config', 'framehold', 'profiles.json');
  const wrong = await framehold(['login', server.url], { env, input: 'fh_wrong' });
  assert.equal(wrong.code, 4);
  assert.ok(!existsSync(profile));
  const right = await framehold(['login', server.url], { env, input: `${token}\n` });
  assert.equal(right.code, 0, right.errors);
  assert.match(right.text, /signed in as .*tenant default \(.*read.*\)\. Saved as profile default/);
  assert.equal(statSync(profile).mode & 0o777, 0o600);
  assert.equal((await framehold(['put', 'first.csv'], { env })).code, 0);
  assert.equal((await framehold(['ls', '--url', server.url, '--profile', 'default'], { env })).code, 0);
  const report = JSON.parse((await framehold(['doctor', '--json'], { env })).text);
  assert.equal(report.ok, true, JSON.stringify(report));
  chmodSync(profile, 0o644);
  const refused = await framehold(['ls'], { env });
  assert.deepEqual([refused.code, /chmod 600/.test(refused.errors)], [8, true]);
  assert.equal((await framehold(['doctor'], { env })).code, 1);
  chmodSync(profile, 0o600);
  // A refusal comes before all of a large body was sent.
  const refusedPut = await framehold(['put', '-', 'x', '-f', 'csv'], {
    input: Buffer.alloc(100_000_000, 'a'),
  });
  assert.deepEqual([refusedPut.code, /requires a credential/.test(refusedPut.errors)], [4, true]);
  assert.equal((await framehold(['logout'], { env })).code, 0);
  assert.equal((await framehold(['ls', '--url', server.url], { env })).code, 4);
});
