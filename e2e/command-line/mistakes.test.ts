/** docs/guides/mistakes/command-line.md: each mistake is made, and each message says what is wrong and what to do. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommand, runOnTerminal } from '../../server/test/support/frame-command.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import { readMistakes } from '../../server/test/support/mistakes-table.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { TestAuthority } from '../../server/test/support/test-authority.ts';

interface Said {
  readonly code: number | null;
  readonly errors: string;
}

const folder = temporaryFolder('mistakes');
let open: Framehold;
let secured: Framehold;
let shortToken: string;
let shortTokenEnds: number;
let readToken: string;
let ca: string;

before(async () => {
  const authority = new TestAuthority();
  const { cert, key } = authority.sign('/CN=framehold', 'IP:127.0.0.1');
  ca = authority.cert;
  [open, secured] = await Promise.all([
    Framehold.start(),
    Framehold.start({ env: { FRAMEHOLD_TLS_CERT_FILE: cert, FRAMEHOLD_TLS_KEY_FILE: key } }),
  ]);
  shortToken = newToken(secured.dataDirectory, 'default', 'read', '1s');
  shortTokenEnds = Date.now() + 1_100;
  readToken = newToken(secured.dataDirectory, 'default', 'read');
  const files = {
    'trades.csv': 'symbol,price\nBTC,1.5\n',
    'empty.csv': '',
    'data.parquet': 'a,b\n1,2\n',
    'long.csv': 'a,b\n1,2\n1,2,3\n',
    'other.csv': 'x,y,z\n1,2,3\n',
    'book.xlsx': `${'PK\x03\x04'.padEnd(30, '\0')}[Content_Types].xml`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await run(['put', 'trades.csv']);
  await run(['get', 'trades', 'data.parquet.real', '--format', 'parquet']);
  execFileSync('mv', [join(folder, 'data.parquet.real'), join(folder, 'data.csv')]);
  writeFileSync(join(folder, 'token'), 'secret\n');
  chmodSync(join(folder, 'token'), 0o644);
});
after(async () => {
  await Promise.all([open?.remove(), secured?.remove()]);
  removeFolder(folder);
});

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Said> =>
  runCommand(args, { cwd: folder, env: { HOME: folder, FRAMEHOLD_URL: open.url, ...env } });
const at = (url: string) => run(['ls', '--url', url]);

/** By the first column of the table, with the exit code. */
const made: Readonly<Record<string, readonly [code: number, () => Promise<Said>]>> = {
  'the server is not running, or the port is wrong': [
    5,
    async () => at(`http://127.0.0.1:${await freePort()}`),
  ],
  'the port of Arrow Flight instead of HTTP': [5, () => at(open.grpcUrl.replace('grpc:', 'http:'))],
  '`https://` for a server without TLS': [5, () => at(open.url.replace('http:', 'https:'))],
  '`http://` for a server with TLS': [6, () => at(secured.url.replace('https:', 'http:'))],
  'the certificate is from an unknown authority': [5, () => at(secured.url)],
  'the host name is misspelt': [5, () => at('http://no-such-host.invalid:9000')],
  'the address has no scheme': [2, () => at('127.0.0.1:9000')],
  'a typing error in the command': [2, () => run(['pt', 'trades.csv'])],
  'a typing error in a flag': [2, () => run(['get', 'trades', '--fromat', 'csv'])],
  'a token as an argument': [2, () => run(['ls', '--token', 'fh_secret'])],
  'a typing error in the name of a frame': [3, () => run(['head', 'tradse'])],
  'a version that does not exist': [3, () => run(['get', 'trades@99'])],
  'no token for a server that wants one': [4, () => run(['ls', '--url', secured.url, '--ca', ca])],
  'the token has expired': [
    4,
    async () => {
      await eventually('it has expired', () => Date.now() > shortTokenEnds);
      return await run(['ls', '--url', secured.url, '--ca', ca], { FRAMEHOLD_TOKEN: shortToken });
    },
  ],
  'a token that may only read': [
    4,
    () => run(['put', 'trades.csv', '--url', secured.url, '--ca', ca], { FRAMEHOLD_TOKEN: readToken }),
  ],
  'a file of tokens that others can read': [8, () => run(['ls', '--token-file', 'token'])],
  'the file does not exist': [8, () => run(['put', 'missing.csv'])],
  'two files at once': [2, () => run(['put', 'trades.csv', 'other.csv'])],
  'rows are appended to a frame that does not exist': [
    3,
    () => run(['put', 'trades.csv', 'unheard', '--append']),
  ],
  'the file is empty': [8, () => run(['put', 'empty.csv'])],
  'CSV in a file that is named `.parquet`': [8, () => run(['put', 'data.parquet'])],
  'Parquet in a file that is named `.csv`': [8, () => run(['put', 'data.csv'])],
  'an Excel workbook': [8, () => run(['put', 'book.xlsx'])],
  'a CSV row with too many fields': [6, () => run(['put', 'long.csv'])],
  'rows with other columns are appended': [7, () => run(['put', 'other.csv', 'trades', '--append'])],
  'a statement with a typing error': [6, () => run(['sql', '-c', 'SELEC 1'])],
  'a statement as a file': [2, () => run(['sql', 'SELECT 1'])],
  'a statement with an unknown column': [6, () => run(['sql', '-c', 'SELECT prise FROM trades'])],
  'a parameter without a value': [6, () => run(['sql', '-c', 'SELECT $limit'])],
  'binary output on a terminal': [
    8,
    async () => {
      const env = { HOME: folder, FRAMEHOLD_URL: open.url };
      const { code, shown } = await runOnTerminal(['get', 'trades'], [], { env, columns: 300 });
      return { code, errors: shown.replaceAll('\r', '') };
    },
  ],
  'a file name without a known suffix': [2, () => run(['get', 'trades', 'rows.xlsx'])],
  'the directory for the output does not exist': [8, () => run(['get', 'trades', 'nowhere/rows.csv'])],
  // Nobody can make files there, not even root.
  'the directory for the output is not writable': [8, () => run(['get', 'trades', '/sys/kernel/rows.csv'])],
  'the local disk is full': [8, () => run(['get', 'trades', '/dev/full', '--format', 'csv'])],
};

const table = readMistakes('command-line');

test('every row of the page is made here, and the other way around', () => {
  assert.deepEqual(table.map(({ mistake }) => mistake).sort(), Object.keys(made).sort());
});

for (const { mistake, message } of table)
  test(mistake, async () => {
    const [wanted, make] = made[mistake] ?? assert.fail('not made');
    const { code, errors } = await make();
    assert.equal(code, wanted, errors);
    const pattern = message
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^\\n]*');
    assert.match(errors, new RegExp(`^framehold: ${pattern}`));
    const lines = errors.trimEnd().split('\n');
    // The server's own command line says both in one line.
    assert.ok(lines.length >= 2 || mistake === 'a typing error in the command', errors);
    assert.ok(!errors.includes('    at '), errors);
  });

test('doctor looks at the certificate and the token of a server with TLS', async () => {
  const args = ['doctor', '--json', '--url', secured.url, '--ca', ca];
  const { code, text, errors } = await runCommand(args, {
    env: { HOME: folder, FRAMEHOLD_TOKEN: readToken },
  });
  assert.equal(code, 0, text);
  assert.equal(errors, '');
  const { findings } = JSON.parse(text) as { findings: { check: string; state: string; detail: string }[] };
  const of = (check: string) => findings.find((finding) => finding.check === check);
  // The certificate of the test is valid for two days.
  assert.deepEqual([of('TLS')?.state, of('token')?.state], ['warning', 'ok']);
  assert.match(of('token')?.detail ?? '', /tenant default \(read\), from FRAMEHOLD_TOKEN/);
  const without = await runCommand(args, { env: { HOME: folder } });
  assert.equal(without.code, 1);
  assert.match(without.text, /The server wants a token, and there is none/);
});

test('a file that does not fit on the disk leaves nothing behind', {
  skip: process.getuid?.() === 0 ? false : 'needs root to mount a small disk',
}, async () => {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
  try {
    await run(['sql', '-c', 'SELECT range AS a, range * 7 AS b FROM range(300000)', '--into', 'large']);
    const { code, errors } = await run(['get', 'large', 'disk/large.csv']);
    assert.equal(code, 8, errors);
    assert.match(errors, /There is no space left for disk\/large\.csv \(ENOSPC\)\.\n {2}Free some space/);
    assert.deepEqual(readdirSync(disk), []);
  } finally {
    execFileSync('umount', [disk]);
  }
});
