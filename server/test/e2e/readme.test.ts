import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../parts/free-port.ts';
import { pythonCommand } from '../parts/python.ts';
import { jdbcDriver, repositoryRoot } from '../parts/repository.ts';
import { removeFolder, temporaryFolder } from '../parts/temporary-folder.ts';
import { type DocumentedCommand, documentedCommands, promisePattern } from './fenced-blocks.ts';

/**
 * Runs what the README tells a newcomer to type, in order, in a fresh copy of the repository and a home of its own. Different from
 * what a newcomer does is only this: the two ports and the interface, because another program may have them here; the caches of
 * npm and pip, which stay those of this machine; and curl fails on an error status, which a person would see.
 */
const commandTimeoutMs = 240_000;
const readyTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;

const folder = temporaryFolder('readme');
const clone = join(folder, 'framehold');
const home = join(folder, 'home');
/** The environment that the README makes; pandas and polars are only in that of the tests. */
const newcomersPython = join(clone, '.venv', 'bin', 'python');
let ports: ReadonlyMap<string, string>;
let environment: NodeJS.ProcessEnv;
let server: ChildProcess | null = null;

before(async () => {
  mkdirSync(home);
  writeFileSync(join(home, '.curlrc'), 'fail-with-body\n');
  copyRepository();
  ports = new Map([
    ['9000', String(await freePort())],
    ['50052', String(await freePort())],
  ]);
  environment = newcomersEnvironment();
});

after(() => {
  endGroup(server, 'SIGKILL');
  removeFolder(folder);
});
// node:test ends a file that takes too long with SIGTERM: the server must go then as well.
process.on('exit', () => endGroup(server, 'SIGKILL'));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

describe('README.md', () => {
  for (const command of documentedCommands('README.md'))
    test(`line ${command.line}: ${firstLine(command)}`, () => runCommand(command));
});

describe('docs/reference/sql.md', () => {
  for (const command of documentedCommands('docs/reference/sql.md'))
    test(`line ${command.line}: ${firstLine(command)}`, () => runCommand(command));
});

describe('docs/reference/http.md', () => {
  for (const command of documentedCommands('docs/reference/http.md'))
    test(`line ${command.line}: ${firstLine(command)}`, () => runCommand(command));
});

for (const guide of ['clients', 'pandas', 'polars', 'jdbc'])
  describe(`docs/guides/${guide}.md`, () => {
    for (const command of documentedCommands(`docs/guides/${guide}.md`))
      test(`line ${command.line}: ${firstLine(command)}`, () => runCommand(command, pythonCommand));
  });

test('links in the documents lead somewhere', () => {
  const documents = globSync('{*.md,docs/**/*.md,server/proto/*.md}', { cwd: repositoryRoot });
  const broken = documents.flatMap((path) => {
    const text = readFileSync(join(repositoryRoot, path), 'utf8');
    return [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
      .map((match) => match[1] ?? '')
      .filter((target) => !existsSync(join(repositoryRoot, dirname(path), target)))
      .map((target) => `${path}: ${target}`);
  });
  assert.ok(documents.length > 30, 'the documents were found');
  assert.deepEqual(broken, []);
});

test('a promise that is not kept is noticed', () => {
  const pattern = promisePattern('{"rows":3,"at":"…"}\nok\n');
  assert.match('{"rows":3,"at":"now"}\nok', pattern);
  for (const other of [
    '{"rows":4,"at":"now"}\nok',
    '{"rows":3,"at":"now"}',
    '{"rows":3,"at":"now"}\nok\nmore',
    '',
  ])
    assert.doesNotMatch(other, pattern);
});

for (const [page, python, count] of [
  ['flight', newcomersPython, 5],
  ['flight-sql', pythonCommand, 3],
] as const)
  test(`docs/reference/${page}.md: its examples, one after another`, async () => {
    const examples = documentedCommands(`docs/reference/${page}.md`);
    assert.ok(examples.length >= count && examples.every(({ language }) => language === 'python'));
    const printed = await runBlock('python', onOurPorts(examples.map(({ text }) => text).join('\n')), python);
    const promised = examples.map(({ promise }) => promise ?? '').join('');
    if (promised !== '') assert.match(printed, promisePattern(promised));
  });

test('the server stops with Ctrl-C, as the README says', async () => {
  assert.ok(server !== null && server.exitCode === null, 'the README started a server that still runs');
  const closed = once(server, 'close', { signal: AbortSignal.timeout(stopTimeoutMs) });
  endGroup(server, 'SIGINT');
  await closed;
});

/** Tracked files, and those that are about to be: what a clone of the next commit has. */
function copyRepository(): void {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  // A tracked file that was just removed is still listed.
  const files = listed.split('\0').filter((path) => path !== '' && existsSync(join(repositoryRoot, path)));
  for (const file of files) cpSync(join(repositoryRoot, file), join(clone, file));
}

/** Ours without what belongs to this test run: settings of the server, and what npm and node:test tell their children. */
function newcomersEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|FRAMEHOLD_|SERVICE_|TEST_|NODE_TEST_|TSDB_HTTP_URL$|RUST_LOG$)/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    NPM_CONFIG_USERCONFIG: npmSetting('userconfig'),
    NPM_CONFIG_CACHE: npmSetting('cache'),
    PIP_CACHE_DIR: process.env.PIP_CACHE_DIR ?? join(homedir(), '.cache', 'pip'),
    FRAMEHOLD_HTTP_BIND_ADDRESS: `127.0.0.1:${ports.get('9000')}`,
    FRAMEHOLD_GRPC_HOST: '127.0.0.1',
    FRAMEHOLD_GRPC_PORT: ports.get('50052'),
  };
}

function npmSetting(name: string): string {
  return execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', stdio: 'pipe' }).trim();
}

function firstLine({ text }: DocumentedCommand): string {
  return text.split('\n', 1)[0] ?? '';
}

async function runCommand(
  { language, text, promise }: DocumentedCommand,
  python = newcomersPython,
): Promise<void> {
  const written = onOurPorts(text);
  const promised = promise === null ? null : onOurPorts(promise);
  const startsServer = /^npm start\n$/m.exec(written);
  if (startsServer !== null) {
    await runBlock('sh', written.slice(0, startsServer.index));
    await startServer(promised ?? '');
    return;
  }
  const printed = await runBlock(language, written, python);
  if (promised !== null) assert.match(printed, promisePattern(promised));
}

function onOurPorts(text: string): string {
  let replaced = text.replaceAll('0.0.0.0', '127.0.0.1');
  for (const [usual, ours] of ports) replaced = replaced.replaceAll(new RegExp(`\\b${usual}\\b`, 'g'), ours);
  return replaced;
}

/** What it prints, without carriage returns and the last line's end; rejects where it fails. */
async function runBlock(
  language: DocumentedCommand['language'],
  text: string,
  python = newcomersPython,
): Promise<string> {
  const [program, args] = programFor(language, text, python);
  const child = spawn(program, args, { cwd: clone, env: environment, timeout: commandTimeoutMs });
  const out: Buffer[] = [];
  const all: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk) && all.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => all.push(chunk));
  // A program that ended early no longer reads; its exit code tells more than the broken pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  assert.equal(code, 0, `ended with ${code ?? signal}:\n${text}\n${Buffer.concat(all).toString()}`);
  return Buffer.concat(out).toString().replaceAll('\r\n', '\n').trimEnd();
}

/** What runs a block: a shell or Python reads it, Java wants a file. */
function programFor(
  language: DocumentedCommand['language'],
  text: string,
  python: string,
): [program: string, args: string[]] {
  if (language === 'sh') return ['bash', ['-euo', 'pipefail', '-s']];
  if (language === 'python') return [python, ['-']];
  const file = join(folder, 'Example.java');
  writeFileSync(file, text);
  return ['java', ['--add-opens=java.base/java.nio=ALL-UNNAMED', '-cp', jdbcDriver, file]];
}

/** Starts it as a terminal would, in a process group of its own, and waits for the promised lines. */
async function startServer(promised: string): Promise<void> {
  assert.notEqual(promised, '', 'the README says what npm start prints');
  server = spawn('npm', ['start'], { cwd: clone, env: environment, detached: true });
  let printed = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = (chunk: Buffer) => {
    printed += chunk.toString();
    if (printed.includes(promised)) resolve();
  };
  server.stdout?.on('data', look);
  server.stderr?.on('data', look);
  server.once('close', () => reject(new Error(`the server ended:\n${printed}`)));
  const timer = setTimeout(
    () => reject(new Error(`not what the README promises:\n${printed}`)),
    readyTimeoutMs,
  );
  await promise.finally(() => clearTimeout(timer));
}

function endGroup(child: ChildProcess | null, signal: NodeJS.Signals): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, signal);
}
