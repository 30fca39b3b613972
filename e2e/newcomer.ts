import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { homedir } from 'node:os';
import { delimiter, dirname, extname, join, normalize } from 'node:path';
import { pageAfterScripts } from '../server/test/support/browser.ts';
import { freePort } from '../server/test/support/free-port.ts';
import { patienceMs } from '../server/test/support/patience.ts';
import { jdbcDriver } from '../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../server/test/support/temporary-folder.ts';
import { type DocumentedCommand, promisePattern } from './fenced-blocks.ts';

const commandTimeoutMs = 600_000;
const readyTimeoutMs = 600_000;
const stopTimeoutMs = patienceMs;
/** Scripts of other types are not run by a browser. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** The line of a block that starts a server and does not return. */
const serverLine = /^(npm start|framehold server\b.*)\n$/m;

/** In place of 9000, 50052, 5433 and 8080, where guides serve pages of their own. */
interface Ports {
  readonly http: number;
  readonly grpc: number;
  readonly pages: number;
  readonly postgres: number;
}

/**
 * Somebody who types what a document says, in order, in a home of their own. Only this differs from a real person's machine: the two
 * ports and the interface, because another program may have them here; the caches of npm and pip, which stay those of this machine; and
 * curl fails on an error status, which a person would see.
 */
export class Newcomer implements AsyncDisposable {
  readonly folder: string;
  readonly home: string;
  /** Where commands are typed. */
  readonly workplace: string;
  readonly #ports: ReadonlyMap<string, string>;
  readonly #environment: NodeJS.ProcessEnv;
  #server: ChildProcess | null = null;

  /** `commands` is a folder with programs that this person has installed. */
  static async arrive(purpose: string, commands: string | null = null): Promise<Newcomer> {
    const ports = {
      http: await freePort(),
      grpc: await freePort(),
      pages: await freePort(),
      postgres: await freePort(),
    };
    return new Newcomer(temporaryFolder(purpose), ports, commands);
  }

  private constructor(folder: string, ports: Ports, commands: string | null) {
    this.folder = folder;
    this.home = join(folder, 'home');
    this.workplace = join(folder, 'framehold');
    mkdirSync(this.home);
    mkdirSync(this.workplace);
    writeFileSync(join(this.home, '.curlrc'), 'fail-with-body\n');
    this.#ports = new Map([
      ['9000', String(ports.http)],
      ['50052', String(ports.grpc)],
      ['8080', String(ports.pages)],
      ['5433', String(ports.postgres)],
    ]);
    this.#environment = {
      ...inheritedEnvironment(),
      HOME: this.home,
      PATH: [...(commands === null ? [] : [commands]), dirname(process.execPath), process.env.PATH].join(
        delimiter,
      ),
      FRAMEHOLD_HTTP_BIND_ADDRESS: `127.0.0.1:${ports.http}`,
      FRAMEHOLD_GRPC_HOST: '127.0.0.1',
      FRAMEHOLD_GRPC_PORT: String(ports.grpc),
      FRAMEHOLD_URL: `http://127.0.0.1:${ports.http}`,
    };
    // node:test ends a file that takes too long with SIGTERM: the server must go then as well.
    process.on('exit', () => this.#signal('SIGKILL'));
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
  }

  /** Types a block and compares what it prints with what the document promises. */
  async type({ language, text, promise }: DocumentedCommand, python: string): Promise<void> {
    const written = this.#onOwnPorts(text);
    const promised = promise === null ? null : this.#onOwnPorts(promise);
    const startsServer = serverLine.exec(written);
    if (startsServer !== null) {
      if (startsServer.index > 0) await this.run('sh', written.slice(0, startsServer.index), python);
      await this.startServer(startsServer[1] ?? '', promised ?? '');
      return;
    }
    const printed = await this.run(language, written, python);
    if (promised !== null) assert.match(printed, promisePattern(promised));
  }

  /** What it prints, without carriage returns and the last line's end; rejects if it fails. */
  async run(language: DocumentedCommand['language'], text: string, python: string): Promise<string> {
    const [program, args] = this.#programFor(language, text, python);
    const child = spawn(program, args, {
      cwd: this.workplace,
      env: this.#environment,
      timeout: commandTimeoutMs,
    });
    const out: Buffer[] = [];
    const all: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk) && all.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => all.push(chunk));
    // A program that ended early no longer reads; its exit code says more than the broken pipe.
    child.stdin.on('error', () => {});
    child.stdin.end(this.#onOwnPorts(text));
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    assert.equal(code, 0, `ended with ${code ?? signal}:\n${text}\n${Buffer.concat(all).toString()}`);
    return Buffer.concat(out).toString().replaceAll('\r\n', '\n').trimEnd();
  }

  /** Starts it as a terminal would, in a process group of its own, and waits for the promised lines. */
  async startServer(line: string, promised: string): Promise<void> {
    assert.notEqual(promised, '', 'the document says what the server prints');
    await this.stopServer();
    const server = spawn('bash', ['-c', `exec ${line}`], {
      cwd: this.workplace,
      env: this.#environment,
      detached: true,
    });
    this.#server = server;
    let printed = '';
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes(this.#onOwnPorts(promised))) resolve();
    };
    server.stdout?.on('data', look);
    server.stderr?.on('data', look);
    server.once('close', () => reject(new Error(`the server ended:\n${printed}`)));
    const timer = setTimeout(
      () => reject(new Error(`not what the document promises:\n${printed}`)),
      readyTimeoutMs,
    );
    await promise.finally(() => clearTimeout(timer));
  }

  /** Opens a page in a real browser, and gives what it looks like then. */
  async openPage(page: string): Promise<string> {
    await using served = await this.servePage(page);
    return await pageAfterScripts(served.url);
  }

  /** Serves a page at the port that guides use for it, and beside it the files of a folder. */
  async servePage(
    page: string,
    folder: string | null = null,
  ): Promise<AsyncDisposable & { readonly url: string }> {
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://site');
      const file = folder === null ? '' : join(folder, normalize(pathname));
      if (pathname !== '/' && existsSync(file)) {
        response.setHeader('content-type', mediaTypes[extname(file)] ?? 'application/octet-stream');
        createReadStream(file).pipe(response);
        return;
      }
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(this.#onOwnPorts(page));
    });
    const port = Number(this.#ports.get('8080'));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${port}/`,
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        server.close();
      },
    };
  }

  /** Where guides let something serve pages. */
  get pagesUrl(): string {
    return `http://127.0.0.1:${this.#ports.get('8080')}`;
  }

  get serverUrl(): string {
    return `http://127.0.0.1:${this.#ports.get('9000')}`;
  }

  get serverRuns(): boolean {
    return this.#server !== null && this.#server.exitCode === null && this.#server.signalCode === null;
  }

  /** Ctrl-C in the server's terminal. */
  async stopServer(): Promise<void> {
    if (this.#server === null || !this.serverRuns) return;
    const closed = once(this.#server, 'close', { signal: AbortSignal.timeout(stopTimeoutMs) });
    this.#signal('SIGINT');
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal('SIGKILL');
    removeFolder(this.folder);
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#server?.pid;
    if (pid !== undefined && this.serverRuns) process.kill(-pid, signal);
  }

  #onOwnPorts(text: string): string {
    let replaced = text.replaceAll('0.0.0.0', '127.0.0.1');
    for (const [usual, own] of this.#ports)
      replaced = replaced.replaceAll(new RegExp(`\\b${usual}\\b`, 'g'), own);
    return replaced;
  }

  /** What runs a block: a shell or Python reads it, Java wants a file. */
  #programFor(
    language: DocumentedCommand['language'],
    text: string,
    python: string,
  ): [program: string, args: string[]] {
    if (language === 'sh') return ['bash', ['-euo', 'pipefail', '-s']];
    if (language === 'python') return [python, ['-']];
    const file = join(this.folder, 'Example.java');
    writeFileSync(file, this.#onOwnPorts(text));
    return ['java', ['--add-opens=java.base/java.nio=ALL-UNNAMED', '-cp', jdbcDriver, file]];
  }
}

/** The tests' own, without settings of the server and without what npm and node:test pass to their children. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|FRAMEHOLD_|SERVICE_|TEST_|NODE_TEST_|TSDB_HTTP_URL$|RUST_LOG$)/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    NPM_CONFIG_USERCONFIG: npmSetting('userconfig'),
    NPM_CONFIG_CACHE: npmSetting('cache'),
    // What is in the cache is not asked for again: the registry's pace is not the subject.
    NPM_CONFIG_PREFER_OFFLINE: 'true',
    PIP_CACHE_DIR: process.env.PIP_CACHE_DIR ?? join(homedir(), '.cache', 'pip'),
  };
}

function npmSetting(name: string): string {
  return execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', stdio: 'pipe' }).trim();
}
