import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Child } from './child-process.ts';
import { serverFolder } from './repository.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

export interface FrameholdOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** Text of ~/.service/config.toml. */
  readonly configFile?: string;
  /** Text of ~/.framehold/config.toml. */
  readonly ownConfigFile?: string;
  /** Another folder to live in: the data of an earlier process, after a restart. */
  readonly home?: string;
  /** What to run, unless it is `serverCommand`. */
  readonly command?: readonly [string, ...string[]];
  /** Modules that Node loads before the server, in every thread of it. */
  readonly imports?: readonly string[];
}

interface ReadyFile {
  readonly http: string;
  readonly grpc: string;
  readonly postgres?: string;
}

/** As it is installed. Wants `npm run build` first. */
export const builtCommand = [process.execPath, join(serverFolder, 'dist', 'main.js')] as const;

/** What is tested: the sources, so that nothing has to be built after a change. A run of everything builds first, and takes half the time to start. */
export const serverCommand =
  process.env.TEST_BUILT === 'true'
    ? builtCommand
    : ([process.execPath, join(serverFolder, 'src', 'main.ts')] as const);

/** Something else that is started where a test asks for a server; null if this server is not replaced. */
export type StartInstead = (options: FrameholdOptions) => Promise<Framehold> | null;

let startInstead: StartInstead | null = null;

/** For a run of the same tests against several nodes. */
export function replaceServers(start: StartInstead): void {
  startInstead = start;
}

/** The real command, started in a home folder of its own, on ports that the system chose. */
export class Framehold {
  readonly home: string;
  readonly dataDirectory: string;
  readonly #options: FrameholdOptions;
  #child: Child | null = null;
  readonly #readyFile: string;
  #ready: ReadyFile | null = null;

  protected constructor(home: string, options: FrameholdOptions) {
    this.home = home;
    this.dataDirectory = join(home, 'data');
    this.#readyFile = join(home, 'ready.json');
    this.#options = options;
  }

  static async start(options: FrameholdOptions = {}): Promise<Framehold> {
    const other = startInstead?.(options) ?? null;
    if (other !== null) return await other;
    const framehold = Framehold.prepare(options);
    await framehold.start();
    return framehold;
  }

  /** Starts again after `stop` or `kill`, on the same data. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.launch(env);
    await this.ready();
  }

  /** A server that is not waited for: it may be killed, or kill itself, before it is ready. */
  static prepare(options: FrameholdOptions = {}): Framehold {
    const framehold = new Framehold(options.home ?? temporaryFolder('home'), options);
    writeConfigFile(framehold.home, '.service', options.configFile);
    writeConfigFile(framehold.home, '.framehold', options.ownConfigFile);
    return framehold;
  }

  launch(env: Readonly<Record<string, string>> = {}): void {
    rmSync(this.#readyFile, { force: true });
    this.#ready = null;
    const [command, ...args] = this.#options.command ?? serverCommand;
    const imports = (this.#options.imports ?? []).map((file) => `--import=${pathToFileURL(file)}`);
    this.#child = new Child({
      command,
      args: [
        ...imports,
        ...args,
        'server',
        '--data-dir',
        this.dataDirectory,
        '--ready-file',
        this.#readyFile,
      ].concat(this.#options.flags ?? []),
      env: {
        HOME: this.home,
        SERVICE_HTTP_BIND_ADDRESS: '127.0.0.1:0',
        SERVICE_GRPC_HOST: '127.0.0.1',
        SERVICE_GRPC_PORT: '0',
        // Nobody waits for a balancer, nor for requests that a test has left behind.
        FRAMEHOLD_DRAIN_DELAY_MS: '0',
        FRAMEHOLD_DRAIN_MS: '10000',
        ...this.#options.env,
        ...env,
      },
      cwd: this.home,
    });
  }

  async ready(): Promise<void> {
    this.#ready = await this.#started().until('ready file', () => {
      if (!existsSync(this.#readyFile)) return null;
      const text = readFileSync(this.#readyFile, 'utf8');
      return text.endsWith('}\n') || text.endsWith('}') ? (JSON.parse(text) as ReadyFile) : null;
    });
  }

  /** Waits until it has ended by itself; answers the signal that ended it. */
  async death(withinMs?: number): Promise<string | null> {
    const child = this.#started();
    return (await child.until('end', () => child.exit, withinMs)).signal;
  }

  /** `http://127.0.0.1:<port>` */
  get url(): string {
    return this.#running().http;
  }

  /** `grpc://127.0.0.1:<port>` */
  get grpcUrl(): string {
    return this.#running().grpc;
  }

  /** `postgresql://127.0.0.1:<port>`; only if a flag has asked for it. */
  get postgresUrl(): URL {
    return new URL(this.#running().postgres ?? '');
  }

  get pid(): number {
    return this.#started().pid;
  }

  /** Whether there is a process to ask about: also after its end. */
  get isStarted(): boolean {
    return this.#child !== null;
  }

  get nodes(): number {
    return 1;
  }

  /** What work that is under way has written. */
  temporaryFiles(): string[] {
    const folders = [join(this.dataDirectory, 'tmp'), join(this.dataDirectory, 'cold', '.tmp')];
    return folders.filter((folder) => existsSync(folder)).flatMap((folder) => readdirSync(folder));
  }

  /** Objects of the tenant default, by name. */
  async storedObjects(): Promise<readonly string[]> {
    return readdirSync(join(this.dataDirectory, 'objects', 'default'));
  }

  /** Every line it wrote since its last start. A line waits for some time before it is written: see `linesUntilNow`. */
  get lines(): readonly string[] {
    return this.#started().lines;
  }

  /** The same with every line of what has ended: lines keep their order, so it waits for that of one more request. */
  async linesUntilNow(): Promise<readonly string[]> {
    const id = randomUUID();
    const answer = await fetch(`${this.url}/v1/frames?limit=1`, { headers: { 'x-request-id': id } });
    await answer.arrayBuffer();
    await this.until('the line of a request', () =>
      this.lines.some((line) => line.includes('"http-request"') && line.includes(id)) ? true : null,
    );
    return this.lines;
  }

  get exit(): Child['exit'] {
    return this.#started().exit;
  }

  async until<T>(what: string, ask: () => T | null | Promise<T | null>, withinMs?: number): Promise<T> {
    return await this.#started().until(what, ask, withinMs);
  }

  signal(signal: NodeJS.Signals): void {
    this.#started().signal(signal);
  }

  /** SIGTERM, and waits until it has drained. */
  async stop(): Promise<void> {
    await this.#child?.stop('SIGTERM');
  }

  /** kill -9 */
  async kill(): Promise<void> {
    await this.#child?.stop('SIGKILL');
  }

  /** Stops it and removes everything it left. */
  async remove(): Promise<void> {
    await this.stop();
    removeFolder(this.home);
  }

  #started(): Child {
    if (!this.#child) throw new Error('not started');
    return this.#child;
  }

  #running(): ReadyFile {
    if (!this.#ready) throw new Error('not ready');
    return this.#ready;
  }
}

/** Runs the command to its end: `framehold config`, or a start that must fail. */
export async function runFramehold(
  args: readonly string[],
  options: Pick<FrameholdOptions, 'env' | 'configFile' | 'ownConfigFile' | 'command'> = {},
): Promise<{ readonly code: number | null; readonly output: string; readonly lines: readonly string[] }> {
  const home = temporaryFolder('home');
  try {
    writeConfigFile(home, '.service', options.configFile);
    writeConfigFile(home, '.framehold', options.ownConfigFile);
    const [command, ...first] = options.command ?? serverCommand;
    const child = new Child({
      command,
      args: [...first, ...args],
      env: { HOME: home, ...options.env },
      cwd: home,
    });
    await child
      .until('end', () => child.exit)
      .catch(async (error) => {
        await child.stop('SIGKILL');
        throw error;
      });
    return { code: child.exit?.code ?? null, output: child.lines.join('\n'), lines: child.lines };
  } finally {
    removeFolder(home);
  }
}

function writeConfigFile(home: string, folder: string, text: string | undefined): void {
  if (text === undefined) return;
  mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, folder, 'config.toml'), text);
}
