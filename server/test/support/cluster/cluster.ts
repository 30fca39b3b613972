import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { type FrameholdOptions, serverCommand } from '../framehold-process.ts';
import { removeFolder, temporaryFolder } from '../temporary-folder.ts';
import { ClusterNode } from './cluster-node.ts';
import { type ClusterParts, leaveParts, startParts, useParts } from './cluster-parts.ts';
import { GrpcRoundRobin } from './grpc-round-robin.ts';
import { HttpRoundRobin } from './http-round-robin.ts';

export interface ClusterOptions extends Pick<FrameholdOptions, 'flags' | 'env' | 'imports'> {
  /** Settings of all nodes, by the names of their flags without the dashes. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Nodes that are started; default 3. */
  readonly nodes?: number;
  /** A PostgreSQL and an S3 that no other test uses, because this one stops them. */
  readonly ownParts?: boolean;
  /** The way of all nodes to the catalog, given its own URL. */
  readonly catalogUrl?: (url: string) => string | Promise<string>;
  /** The way of all nodes to the store. */
  readonly s3Endpoint?: (url: string) => string | Promise<string>;
}

/** What differs on one node. */
export interface NodeOptions
  extends Pick<FrameholdOptions, 'flags' | 'env' | 'imports' | 'command' | 'configFile' | 'ownConfigFile'> {
  readonly settings?: Readonly<Record<string, string>>;
  readonly catalogUrl?: string;
  readonly s3Endpoint?: string;
  readonly bucket?: string;
}

const run = promisify(execFile);

/** Nodes that share a catalog in PostgreSQL and a bucket, with one address over HTTP and one over gRPC before all of them. */
export class Cluster {
  readonly parts: ClusterParts;
  /** The catalog's own URL. */
  readonly database: string;
  readonly bucket: string;
  readonly nodes: ClusterNode[] = [];
  readonly #options: ClusterOptions;
  readonly #ways: { readonly catalogUrl: string; readonly s3Endpoint: string };
  readonly #home = temporaryFolder('operator');
  #http: HttpRoundRobin | null = null;
  #grpc: GrpcRoundRobin | null = null;
  #credential: string | null = null;
  /** Nodes that have a name. Several are prepared at the same time, and no two may have the same. */
  #prepared = 0;
  /** Turned off by tests that make credentials of their own: a request without one is then refused. */
  bringsCredential = true;

  private constructor(
    parts: ClusterParts,
    database: string,
    bucket: string,
    options: ClusterOptions,
    ways: { readonly catalogUrl: string; readonly s3Endpoint: string },
  ) {
    this.parts = parts;
    this.database = database;
    this.bucket = bucket;
    this.#options = options;
    this.#ways = ways;
  }

  /** Starts the parts and nodes that all answer. */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = await Cluster.prepare(options);
    try {
      const first = await cluster.addNode();
      await first.start();
      const more = await Promise.all(
        Array.from({ length: (options.nodes ?? 3) - 1 }, () => cluster.addNode()),
      );
      await Promise.all([cluster.makeCredential(), ...more.map((node) => node.start())]);
      return cluster;
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  /** The parts and the addresses, and no node yet. */
  static async prepare(options: ClusterOptions = {}): Promise<Cluster> {
    const parts = await (options.ownParts === true ? startParts() : useParts());
    const [database, bucket] = await Promise.all([parts.postgres.newDatabase(), parts.s3.newBucket()]);
    const catalogUrl = (await options.catalogUrl?.(database)) ?? database;
    const s3Endpoint = (await options.s3Endpoint?.(parts.s3.endpoint)) ?? parts.s3.endpoint;
    const cluster = new Cluster(parts, database, bucket, options, { catalogUrl, s3Endpoint });
    const to = (url: (node: ClusterNode) => string) => ({
      targets: () => cluster.nodes.filter(({ isUp }) => isUp).map(url),
      credential: () => cluster.credential,
    });
    cluster.#http = await HttpRoundRobin.start(to(({ framehold }) => framehold.url));
    cluster.#grpc = await GrpcRoundRobin.start(to(({ framehold }) => framehold.grpcUrl));
    return cluster;
  }

  /** Round robin over all nodes that are up. */
  get url(): string {
    if (!this.#http) throw new Error('not prepared');
    return this.#http.url;
  }

  get grpcUrl(): string {
    if (!this.#grpc) throw new Error('not prepared');
    return this.#grpc.url;
  }

  /** `Bearer …` of the caller whom the addresses speak for. */
  get credential(): string | null {
    return this.bringsCredential ? this.#credential : null;
  }

  get hasCredential(): boolean {
    return this.#credential !== null;
  }

  node(index: number): ClusterNode {
    const node = this.nodes[index];
    if (!node) throw new Error(`there is no node ${index}`);
    return node;
  }

  /** Another one, which is not started yet. */
  async addNode(options: NodeOptions = {}): Promise<ClusterNode> {
    const { s3 } = this.parts;
    const index = this.#prepared++;
    const node = await ClusterNode.prepare(
      {
        ...(options.command === undefined ? {} : { command: options.command }),
        ...(options.configFile === undefined ? {} : { configFile: options.configFile }),
        ...(options.ownConfigFile === undefined ? {} : { ownConfigFile: options.ownConfigFile }),
        imports: [...(this.#options.imports ?? []), ...(options.imports ?? [])],
        env: { ...s3.env, ...this.#options.env, ...options.env },
        flags: Object.entries({
          'catalog-url': options.catalogUrl ?? this.#ways.catalogUrl,
          'storage-url': `s3://${options.bucket ?? this.bucket}/frames`,
          'storage-s3-endpoint': options.s3Endpoint ?? this.#ways.s3Endpoint,
          'node-id': `node-${index}`,
          ...this.#options.settings,
          ...options.settings,
        })
          .flatMap(([flag, value]) => [`--${flag}`, value])
          .concat(this.#options.flags ?? [], options.flags ?? []),
      },
      () => this.credential,
    );
    this.nodes.push(node);
    return node;
  }

  /** Of a caller who may do everything in the tenant of an open server. */
  async makeCredential(): Promise<void> {
    this.#credential = `Bearer ${await this.newToken('default', 'admin')}`;
  }

  /** As an operator does it. */
  async newToken(tenant: string, scope: string): Promise<string> {
    const words = ['create', '--tenant', tenant, '--scope', scope, '--ttl', '1d'];
    const { token } = await this.command('token', ...words);
    return String(token);
  }

  /** A command of an operator on the catalog, with what it printed for programs. */
  async command(...words: readonly string[]): Promise<Record<string, unknown>> {
    const [command, ...first] = serverCommand;
    const { stdout } = await run(command, [...first, ...words, '--catalog-url', this.database, '--json'], {
      env: { HOME: this.#home, PATH: process.env.PATH ?? '' },
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  /** `framehold accept-restore`, with another catalog than that of the nodes if one is given. */
  async acceptRestore(catalogUrl: string = this.database): Promise<void> {
    const [command, ...first] = serverCommand;
    const { s3 } = this.parts;
    const flags = Object.entries({
      'catalog-url': catalogUrl,
      'storage-url': `s3://${this.bucket}/frames`,
      'storage-s3-endpoint': s3.endpoint,
      'data-dir': this.#home,
    });
    await run(
      command,
      [...first, 'accept-restore', ...flags.flatMap(([flag, value]) => [`--${flag}`, value])],
      {
        env: { HOME: this.#home, PATH: process.env.PATH ?? '', ...s3.env },
      },
    );
  }

  /** What the catalog has, read beside the nodes. */
  async query<Row>(sql: string): Promise<readonly Row[]> {
    return (await this.parts.postgres.query(sql, this.database)) as readonly Row[];
  }

  /** Keys in the bucket, of frames and of everything else. */
  async objectKeys(bucket: string = this.bucket): Promise<string[]> {
    const client = this.parts.s3.client();
    const keys: string[] = [];
    try {
      for (let token: string | undefined; ; ) {
        const page = await client.send(
          new ListObjectsV2Command({
            Bucket: bucket,
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
        );
        keys.push(...(page.Contents ?? []).map(({ Key }) => Key ?? ''));
        if (!page.IsTruncated) return keys;
        token = page.NextContinuationToken;
      }
    } finally {
      client.destroy();
    }
  }

  /** The catalog and the bucket stay. */
  async removeNodes(): Promise<void> {
    await Promise.all(this.nodes.splice(0).map((node) => node.remove()));
  }

  async remove(): Promise<void> {
    await this.removeNodes();
    await Promise.all([this.#http?.stop(), this.#grpc?.stop()]);
    removeFolder(this.#home);
    if (this.#options.ownParts === true)
      await Promise.all([this.parts.postgres.stop(), this.parts.s3.stop()]);
    else await leaveParts();
  }
}
