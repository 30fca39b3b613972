/**
 * Loaded before a test file (`node --import`) by `run-tests.ts cluster`: wherever the file starts a server, nodes with a shared catalog are started,
 * and its addresses are those of a balancer that gives every request and every call to the next node.
 */
import { mkdirSync } from 'node:fs';
import { Framehold, type FrameholdOptions, replaceServers } from '../framehold-process.ts';
import { shareCatalog } from '../shared-catalogs.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Cluster } from './cluster.ts';

const nodes = 3;
/** By the home in whose place they are: a test that starts again on the data of an earlier server finds it. */
const clusters = new Map<string, Cluster>();

class FrameholdCluster extends Framehold {
  readonly #cluster: Cluster;
  readonly #wanted: FrameholdOptions;

  private constructor(home: string, options: FrameholdOptions, cluster: Cluster) {
    super(home, options);
    this.#wanted = options;
    this.#cluster = cluster;
  }

  static async startNodes(options: FrameholdOptions): Promise<FrameholdCluster> {
    const home = options.home ?? temporaryFolder('home');
    const cluster = clusters.get(home) ?? (await Cluster.prepare());
    clusters.set(home, cluster);
    const framehold = new FrameholdCluster(home, options, cluster);
    mkdirSync(framehold.dataDirectory, { recursive: true });
    shareCatalog(framehold.dataDirectory, {
      url: cluster.database,
      close: () => {
        cluster.bringsCredential = false;
      },
    });
    await framehold.start();
    return framehold;
  }

  override async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const cluster = this.#cluster;
    await cluster.removeNodes();
    const { flags = [], imports = [], configFile, ownConfigFile } = this.#wanted;
    const options = {
      ...{ flags, imports },
      env: { ...this.#wanted.env, ...env },
      ...(configFile === undefined ? {} : { configFile }),
      ...(ownConfigFile === undefined ? {} : { ownConfigFile }),
    };
    for (let index = 0; index < nodes; index++) await cluster.addNode(options);
    await cluster.node(0).start();
    await Promise.all([
      cluster.hasCredential ? null : cluster.makeCredential(),
      ...cluster.nodes.slice(1).map((node) => node.start()),
    ]);
  }

  override get url(): string {
    return this.#cluster.url;
  }

  override get grpcUrl(): string {
    return this.#cluster.grpcUrl;
  }

  override get isStarted(): boolean {
    return this.#cluster.nodes.length > 0;
  }

  override get pid(): number {
    return this.#cluster.node(0).framehold.pid;
  }

  override get nodes(): number {
    return nodes;
  }

  override temporaryFiles(): string[] {
    return this.#cluster.nodes.flatMap(({ framehold }) => framehold.temporaryFiles());
  }

  override async storedObjects(): Promise<readonly string[]> {
    return (await this.#cluster.objectKeys()).filter((key) => key.includes('/default/'));
  }

  /** Of all nodes, each in its own order. */
  override get lines(): readonly string[] {
    return this.#cluster.nodes.flatMap(({ framehold }) => framehold.lines);
  }

  override async linesUntilNow(): Promise<readonly string[]> {
    await Promise.all(this.#cluster.nodes.map(({ framehold }) => framehold.linesUntilNow()));
    return this.lines;
  }

  override get exit(): Framehold['exit'] {
    return this.#cluster.node(0).framehold.exit;
  }

  override async until<T>(
    what: string,
    ask: () => T | null | Promise<T | null>,
    withinMs?: number,
  ): Promise<T> {
    return await this.#cluster.node(0).framehold.until(what, ask, withinMs);
  }

  override signal(signal: NodeJS.Signals): void {
    for (const { framehold } of this.#cluster.nodes) framehold.signal(signal);
  }

  override async stop(): Promise<void> {
    await Promise.all(this.#cluster.nodes.map((node) => node.stop()));
  }

  override async kill(): Promise<void> {
    await Promise.all(this.#cluster.nodes.map((node) => node.kill()));
  }

  override async remove(): Promise<void> {
    clusters.delete(this.home);
    await this.#cluster.remove();
    await super.remove();
  }
}

replaceServers((options) => (options.command === undefined ? FrameholdCluster.startNodes(options) : null));
