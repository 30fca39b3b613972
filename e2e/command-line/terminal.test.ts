/** What a person sees and types: a pseudo-terminal, and completion in real shells. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommand, runOnTerminal, type TerminalStep } from '../../server/test/support/frame-command.ts';
import { Framehold, serverCommand } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const folder = temporaryFolder('terminal');
const prompt = 'framehold> ';
let server: Framehold;
let environment: Record<string, string>;

before(async () => {
  server = await Framehold.start();
  environment = { HOME: folder, FRAMEHOLD_URL: server.url };
  writeFileSync(
    join(folder, 'trades.csv'),
    'symbol,price,note\nBTC-USD,62450.5,\u001b]0;owned\u0007\nETH-USD,3421.75,日本\n',
  );
  const { code, errors } = await runCommand(['put', 'trades.csv'], { env: environment, cwd: folder });
  assert.equal(code, 0, errors);
});
after(async () => {
  await server.remove();
  removeFolder(folder);
});

const onTerminal = (args: readonly string[], steps: readonly TerminalStep[] = [], columns = 80) =>
  runOnTerminal(args, steps, { env: environment, cwd: folder, columns });

/** As a person sees it in the end: on a slow machine progress was shown before, and wiped away. */
const left = (shown: string) =>
  shown
    .split('\n')
    .map((line) => line.split('\r\u001b[K').at(-1))
    .join('\n');

test('a terminal gets tables that fit, and no control characters of the data', async () => {
  const head = await onTerminal(['head', 'trades']);
  assert.equal(head.code, 0);
  const table = left(head.shown);
  assert.match(
    table,
    /^symbol {5}price {2}note\r\n─+ {2}─+ {2}─+\r\nBTC-USD {2}62450\.5 {2}\\x1b\]0;owned\\x07\r\n/,
  );
  const csv = await onTerminal(['get', 'trades', '-f', 'csv']);
  const text = left(csv.shown);
  assert.match(text, /BTC-USD,62450\.5,\\x1b\]0;owned\\x07\r\n/);
  assert.ok(!table.includes('\u001b') && !text.includes('\u001b'));
  const narrow = await onTerminal(['ls'], [], 30);
  for (const line of left(narrow.shown).trim().split('\r\n')) assert.ok(line.length <= 30, line);
  const put = await onTerminal(['put', 'trades.csv', 'copy', '--link']);
  assert.match(
    left(put.shown),
    /^copy@1 {2}2 rows, 3 columns, .*\r\nhttp:\S+link=\S+\r\n {2}For polars, .*\.parquet\?link=\S+\r\n {2}Everyone who has this link/,
  );
});

test('binary is not written to a terminal', async () => {
  const { code, shown } = await onTerminal(['get', 'trades']);
  assert.equal(code, 8);
  assert.match(
    shown,
    /arrow is binary and cannot be shown on a terminal\.\r\n {2}Give a file, as in framehold get trades trades\.parquet/,
  );
});

test('the SQL shell: lines, completion, help, errors, history', async () => {
  const { code, shown } = await onTerminal(
    ['sql'],
    [
      { expect: prompt, send: 'SELECT count(*) AS n,\n' },
      { expect: '...> ', send: " ';' AS s FROM trades;\n" },
      { expect: '(1 row)' },
      { expect: prompt, send: '\\d trades\n' },
      { expect: 'price   DOUBLE' },
      { expect: prompt, send: 'SELECT * FROM tra' },
      { expect: 'tra', send: '\t' },
      // What was missing of `trades`, and then of `symbol`.
      { expect: 'des', send: ' WHERE sym' },
      { expect: 'sym', send: '\t' },
      { expect: 'bol', send: " = 'none';\n" },
      { expect: '(0 rows)' },
      { expect: prompt, send: 'SELEC 1;\n' },
      { expect: 'syntax error' },
      { expect: prompt, send: '\\nonsense\n' },
      { expect: 'is not known' },
      { expect: prompt, send: 'never run' },
      { expect: 'never run', send: '\u0003' },
      { expect: prompt, send: '\\?\n' },
      { expect: 'Ctrl-C cancels' },
      { expect: prompt, send: '\\q\n' },
    ],
  );
  assert.equal(code, 0, shown);
  const history = join(folder, '.local', 'state', 'framehold', 'sql-history');
  assert.equal(statSync(history).mode & 0o777, 0o600);
  assert.match(
    readFileSync(history, 'utf8'),
    /^SELECT count\(\*\) AS n,\n .*\n\\d trades\nSELECT \* FROM trades WHERE symbol = 'none';\n/,
  );
  // Cursor up brings back what an earlier session typed.
  const again = await onTerminal(
    ['sql'],
    [
      { expect: prompt, send: '\u001b[A\u001b[A' },
      { expect: '\\?', send: '\u0003' },
      { expect: prompt, send: '\u0004' },
    ],
  );
  assert.equal(again.code, 0, again.shown);
});

test('Ctrl-C in the shell ends the statement, not the shell', async () => {
  const endless = 'SELECT count(*) FROM range(100000000000) a, range(1000) b;\n';
  const { code, shown } = await onTerminal(
    ['sql'],
    [
      { expect: prompt, send: endless },
      { expect: ' b;', send: '\u0003' },
      { expect: 'Cancelled.' },
      { expect: prompt, send: 'SELECT 40 + 2 AS answer;\n' },
      { expect: '42' },
      { expect: prompt, send: '\u0004' },
    ],
  );
  assert.equal(code, 0, shown);
});

test('bash completes commands, flags, values, files and frames', async () => {
  const script = (await runCommand(['completion', 'bash'], { env: environment })).text;
  const complete = (...words: string[]) => {
    const command = `${script}
framehold() { ${serverCommand.map((word) => `'${word}'`).join(' ')} "$@"; }
compopt() { echo default-completion; }
COMP_WORDS=(framehold ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
_framehold; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const text = execFileSync('bash', ['-c', command], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', ...environment },
    });
    return text.split('\n').filter((line) => line !== '');
  };
  assert.deepEqual(complete('und'), ['undrop']);
  assert.deepEqual(complete('ver'), ['verify', 'version']);
  assert.deepEqual(complete('get', '--fo'), ['--format']);
  assert.deepEqual(complete('get', 'trades', '--format', 'pa'), ['parquet']);
  assert.deepEqual(complete('head', 'tr'), ['trades']);
  assert.deepEqual(complete('put', ''), ['default-completion']);
  // It is registered for the command.
  const registered = execFileSync('bash', ['-c', `${script}\ncomplete -p framehold`], { encoding: 'utf8' });
  assert.equal(registered, 'complete -F _framehold framehold\n');
});

/** A folder with `framehold` in it, for shells that look for it. */
function commandFolder(): string {
  const path = join(folder, 'bin');
  mkdirSync(path, { recursive: true });
  const words = serverCommand.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(path, 'framehold'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  return path;
}

const missing = (shell: string) =>
  spawnSync(shell, ['--version']).error === undefined ? false : `${shell} is not installed`;

test('fish completes the same', { skip: missing('fish') }, async () => {
  const script = (await runCommand(['completion', 'fish'], { env: environment })).text;
  const lines = [
    'framehold und',
    'framehold get trades --format pa',
    'framehold head tr',
    'framehold put tr',
  ];
  const typed = lines.map((line) => `complete -C '${line}'`).join('; ');
  const shown = execFileSync('fish', ['--no-config', '-c', `${script}\n${typed}`], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...environment, PATH: `${commandFolder()}:${process.env.PATH}` },
  });
  assert.deepEqual(shown.trim().split('\n'), ['undrop', 'parquet', 'trades', 'trades.csv']);
});

test('zsh completes the same', { skip: missing('zsh') }, async () => {
  const script = (await runCommand(['completion', 'zsh'], { env: environment })).text;
  writeFileSync(join(folder, '_framehold'), script);
  const clear = '\u0001\u000b';
  const { shown } = await runOnTerminal(
    ['-f', '-i'],
    [
      {
        send: "autoload -Uz compinit && compinit -u -D; source ./_framehold; bindkey '^I' complete-word; echo rea''dy\n",
      },
      { expect: 'ready', send: 'framehold und\t' },
      { expect: 'undrop', send: `${clear}framehold get trades --format pa\t` },
      { expect: 'parquet', send: `${clear}framehold head tr\t` },
      { expect: 'head trades', send: `${clear}framehold put trades.\t` },
      { expect: 'trades.csv', send: `${clear}exit\n` },
    ],
    {
      command: ['zsh'],
      cwd: folder,
      env: { ...environment, PATH: `${commandFolder()}:${process.env.PATH}` },
    },
  );
  assert.ok(!shown.includes('command not found'), shown);
});

test('a purge is asked for, and Ctrl-D is a no', async () => {
  const asked = (send: string) => onTerminal(['rm', 'trades', '--purge'], [{ expect: '[y/N] ', send }]);
  for (const no of ['n\n', '\n', '\u0004']) {
    const { code, shown } = await asked(no);
    assert.equal(code, 2, shown);
    assert.match(shown, /Nothing was removed/);
  }
  assert.equal((await asked('\u0003')).code, 130);
  assert.match((await asked('y\n')).shown, /trades is removed for good/);
});

test('login asks for the token and does not show it', async () => {
  // From now on the server wants one: this is the last test.
  const token = newToken(server.dataDirectory, 'default', 'read');
  const home = join(folder, 'person');
  mkdirSync(home);
  const steps = [{ expect: 'Enter for none): ', send: `${token}\n` }];
  const { code, shown } = await runOnTerminal(['login', server.url], steps, { env: { HOME: home } });
  assert.equal(code, 0, shown);
  assert.ok(!shown.includes(token.slice(0, 12)), shown);
  assert.match(shown, /Saved as profile default/);
});
