/** psql and pgbench of PostgreSQL 15 and 18, run as people run them. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyValue, few, insert, ordered, run, server, slow } from './features.ts';

const folder = mkdtempSync(join(tmpdir(), 'framehold-psql-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

interface Told {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ctrl-C after this time. */
  readonly interruptAfterMs?: number;
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function program(
  name: string,
  words: readonly string[],
  { input = '', env = {}, interruptAfterMs }: Told = {},
): Promise<Ended> {
  const child = spawn(join(server.programs ?? '', name), words, {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      PGHOST: server.host,
      PGPORT: String(server.port),
      PGUSER: server.user,
      PGPASSWORD: server.password,
      PGDATABASE: server.database,
      PGSSLMODE: 'disable',
      PGCLIENTENCODING: 'UTF8',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (bytes: Buffer) => out.push(bytes));
  child.stderr.on('data', (bytes: Buffer) => err.push(bytes));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const interrupt = setTimeout(() => {
    if (interruptAfterMs !== undefined) child.kill('SIGINT');
  }, interruptAfterMs ?? 0);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(interrupt);
      resolve({ code, out: text(out), err: text(err) });
    });
  });
}

const text = (parts: readonly Buffer[]) => Buffer.concat(parts).toString('utf8');

/** As somebody types it, without the file ~/.psqlrc. */
async function psql(input: string, told: Told = {}, words: readonly string[] = []): Promise<string> {
  const { code, out, err } = await program('psql', ['-X', ...words], { ...told, input });
  if (code !== 0) throw new Error(`psql ended with ${code}: ${err}`);
  return `${out}${err}`;
}

/** What is printed of errors, with the SQLSTATE. */
const verbose = '\\set VERBOSITY verbose\n';
/** The lines of an error that PostgreSQL and another server can have in common: not its text, nor its place in the source. */
const codes = (printed: string) =>
  [...printed.matchAll(/^(?:psql:.*?: )?(ERROR|FATAL|WARNING|NOTICE): {2}([0-9A-Z]{5}):/gm)].map((match) =>
    match.slice(1),
  );

async function bench(mode: string, statement: string): Promise<unknown> {
  const file = join(folder, `${mode}.sql`);
  writeFileSync(file, statement);
  const { code, out, err } = await program('pgbench', ['-n', '-M', mode, '-c', '2', '-t', '10', '-f', file]);
  if (code !== 0) throw new Error(err);
  return out.split('\n').filter((line) => /query mode|actually processed|failed/.test(line));
}
const benchScript = '\\set id random(1, 1000)\nselect price from trades where id = :id;\n';

await run({
  'connect-plain': () => psql('select 1 as one;'),
  tls: async () => {
    const env = { PGSSLMODE: 'verify-ca', PGSSLROOTCERT: server.certificate };
    return /SSL connection/.test(await psql('\\conninfo', { env }));
  },
  'wrong-password': async () => {
    const { code, err } = await program('psql', ['-X', '-c', 'select 1'], { env: { PGPASSWORD: 'wrong' } });
    return [code, /FATAL/.test(err)];
  },
  'types-in-text': () => psql(`${everyValue};`, {}, ['-A']),
  'types-in-csv': () => psql(`${everyValue};`, {}, ['--csv']),
  'parameters-in-text': () =>
    psql("\\set name ACME\nselect count(*)::int8 from trades where symbol = :'name';"),
  'column-types': () => psql(`${everyValue} \\gdesc`),
  'several-statements': () => psql('select 1 as a\\; select 2 as b;\n'),
  'results-into-variables': () =>
    psql('select 7 as seven \\gset\n\\echo :seven\nselect id, symbol from trades where id = 1 \\gx\n'),
  portions: () =>
    psql(`\\set FETCH_COUNT 300\n${ordered};`, {}, ['-A', '-t']).then((out) => out.trim().split('\n').length),
  'copy-text': () => psql(`copy (${everyValue}) to stdout;`),
  'copy-csv': async () => {
    const file = join(folder, 'copied.csv');
    const printed = await psql(`\\copy (${few}) to '${file}' csv header`);
    return [printed, readFileSync(file, 'utf8')];
  },
  'copy-binary': async () => {
    const file = join(folder, 'copied.bin');
    await psql(`\\copy (${everyValue}) to '${file}' (format binary)`);
    return readFileSync(file).toString('hex');
  },
  transactions: () =>
    psql(
      'begin isolation level serializable read only;\nshow transaction_isolation;\nsavepoint a;\nselect 1;\nrollback to a;\ncommit;\n',
    ),
  'failed-transaction': async () =>
    codes(await psql(`${verbose}begin;\nselect nope from trades;\nselect 1;\nrollback;\n`)),
  errors: async () => {
    const printed = await psql(`${verbose}select symbo from trades;\nselect * from nowhere;\nselec 1;\n`);
    return [
      codes(printed),
      printed.match(/^LINE \d+: .*\n\s*\^/gm),
      (printed.match(/^HINT:/gm) ?? []).length > 0,
    ];
  },
  'writes-are-refused': async () =>
    codes(await psql(`${verbose}${insert};\ncreate table made (a int4);\ndrop table trades;\n`)),
  cancel: async () => {
    const began = performance.now();
    const { err } = await program('psql', ['-X', '-c', '\\set VERBOSITY verbose', '-c', slow], {
      interruptAfterMs: 1_000,
    });
    return [codes(err), performance.now() - began < 30_000];
  },
  'statement-timeout': async () => codes(await psql(`${verbose}set statement_timeout = 300;\n${slow};\n`)),
  'empty-query': () => psql(';\n-- nothing\n;\nselect 1;\n'),
  settings: () =>
    psql(
      "set application_name = 'framehold tests';\nshow application_name;\nset timezone = 'Europe/Oslo';\nselect instant from every_type where id = 1;\n",
    ),
  notices: async () => codes(await psql(`${verbose}commit;\nbegin;\nbegin;\nrollback;\n`)),
  'metadata-tables': () => psql('\\dt\n'),
  'metadata-table': () => psql('\\d trades\n\\d every_type\n\\d "Daily-Sales"\n\\d nowhere\n'),
  'metadata-sizes': async () =>
    (await psql('\\dt+\n', {}, ['-A', '-t'])).split('\n').map((line) => line.split('|').slice(0, 3)),
  'metadata-databases': async () =>
    (await psql('\\l\n', {}, ['-A', '-t']))
      .split('\n')
      .some((line) => line.startsWith(`${server.database}|`)),
  'metadata-functions': () => psql('\\df public.*\n'),
  'metadata-others': () => psql('\\dn\n\\dv\n\\di\n\\ds\n\\dm\n\\dT public.*\n'),
  'pgbench-simple': () => bench('simple', benchScript),
  'pgbench-extended': () => bench('extended', benchScript),
  'pgbench-prepared': () => bench('prepared', benchScript),
  reconnect: async () => {
    const printed = await psql(
      'select 1 -- cut here\n;\nselect 2 as two;\n',
      { env: { PGPORT: String(server.cutPort) } },
      [],
    ).catch(String);
    return /connection to server was lost|server closed the connection/.test(printed);
  },
});
