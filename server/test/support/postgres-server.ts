import { execFile, execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { Child } from './child-process.ts';
import { freePort } from './free-port.ts';
import { partsFolder } from './repository.ts';

/** Debian's, linked by scripts/setup.sh. */
const binaries = join(partsFolder, 'postgres');
/** It refuses to run as root. */
const nobody = 65_534;

export interface PostgresOptions {
  /** Slower, as in production: for measurements, and for tests that kill it. */
  readonly fsync?: boolean;
  /** More settings, as `name=value`. */
  readonly settings?: readonly string[];
}

/** A PostgreSQL server of its own for a test, on a port of its own. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #options: PostgresOptions;
  #child: Child;
  #databases = 0;

  get #copy(): string {
    return join(this.#folder, 'copy');
  }

  private constructor(port: number, folder: string, options: PostgresOptions) {
    this.port = port;
    this.#folder = folder;
    this.#options = options;
    this.#child = this.#start();
  }

  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'framehold-postgres-'));
    if (process.getuid?.() === 0) chownSync(folder, nobody, nobody);
    newCluster(join(folder, 'data'));
    const server = new PostgresServer(await freePort(), folder, options);
    await server.#answers();
    return server;
  }

  /** Of its main process. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Of a database that every server has. */
  get url(): string {
    return this.urlOf('postgres');
  }

  urlOf(database: string): string {
    return `postgres://framehold@127.0.0.1:${this.port}/${database}`;
  }

  /** An empty database of its own, or a copy of another one that nobody is connected to; answers its URL. */
  async newDatabase(template = 'template1'): Promise<string> {
    const name = `test_${process.pid}_${++this.#databases}`;
    await this.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    return this.urlOf(name);
  }

  /** One statement, on a connection of its own. */
  async query(text: string, url: string = this.url): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    // Whoever stops the server under an open connection knows that it ends.
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** The processes that serve connections or write for all of them. */
  backends(): readonly number[] {
    return childrenOf(this.#child.pid);
  }

  /** The postmaster and its children stop in the middle of what they do. */
  pause(): void {
    for (const pid of this.#pids()) signalIfThere(pid, 'SIGSTOP');
  }

  resume(): void {
    for (const pid of this.#pids()) signalIfThere(pid, 'SIGCONT');
  }

  /** SIGINT ends all connections at once; SIGQUIT is a crash. */
  async down(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    await this.#child.stop(signal);
  }

  /** Keeps a copy of all its databases as they are now, as a standby has them that gets nothing more. */
  async keepCopy(): Promise<void> {
    rmSync(this.#copy, { recursive: true, force: true });
    const [command, args] = unprivileged(join(binaries, 'pg_basebackup'), [
      ...['--host=127.0.0.1', `--port=${this.port}`, '--username=framehold'],
      ...['--checkpoint=fast', '--no-sync', '--pgdata', this.#copy],
    ]);
    await promisify(execFile)(command, args, { cwd: '/' });
  }

  /** A failover to the copy: what was committed since then is lost. */
  async failOver(): Promise<void> {
    await this.down('SIGQUIT');
    rmSync(join(this.#folder, 'data'), { recursive: true });
    renameSync(this.#copy, join(this.#folder, 'data'));
    await this.up();
  }

  async up(): Promise<void> {
    this.#child = this.#start();
    await this.#answers();
  }

  async stop(): Promise<void> {
    if (this.#child.exit === null) this.resume();
    await this.#child.stop('SIGINT');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(): Child {
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=200',
      ...(this.#options.fsync === true ? [] : ['fsync=off', 'full_page_writes=off']),
      ...(this.#options.settings ?? []),
    ];
    const args = ['-D', join(this.#folder, 'data'), '-p', String(this.port)];
    const [command, all] = unprivileged(join(binaries, 'postgres'), [
      ...args,
      ...settings.flatMap((setting) => ['-c', setting]),
    ]);
    return new Child({ command, args: all, cwd: '/' });
  }

  async #answers(): Promise<void> {
    await this.#child.until('an answer of PostgreSQL', async () => {
      try {
        await this.query('SELECT 1');
        return true;
      } catch {
        return null;
      }
    });
  }

  #pids(): number[] {
    const parent = this.#child.pid;
    return [parent, ...childrenOf(parent)];
  }
}

/**
 * The files of a server without databases of its own. Making them takes most of a second of CPU time, a copy a tenth of it: the files of a run
 * share what the first one has made.
 */
function newCluster(data: string): void {
  const shared = process.env.TEST_SHARED_FOLDER;
  const template = shared === undefined ? undefined : join(shared, 'postgres');
  if (template === undefined || !existsSync(template)) {
    const [command, args] = unprivileged(join(binaries, 'initdb'), [
      '--no-sync',
      '--username=framehold',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--pgdata',
      data,
    ]);
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' });
    if (template !== undefined) share(data, template);
    return;
  }
  // Its owner is kept: the server refuses files of another user.
  execFileSync('cp', ['-a', template, data], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** A template is there as a whole or not at all. If two files make one at the same time, the first one's stays. */
function share(data: string, template: string): void {
  const copy = mkdtempSync(`${template}-`);
  execFileSync('cp', ['-a', data, join(copy, 'data')], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    renameSync(join(copy, 'data'), template);
  } catch (error) {
    if (!existsSync(template)) throw error;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && existsSync(`/proc/${entry}/stat`))
    .filter((entry) => {
      try {
        // After the name in parentheses: the state, then the parent.
        const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** A backend whose connection was closed ends by itself as soon as it goes on. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function unprivileged(command: string, args: readonly string[]): [string, string[]] {
  if (process.getuid?.() !== 0) return [command, [...args]];
  return ['setpriv', [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', command, ...args]];
}
