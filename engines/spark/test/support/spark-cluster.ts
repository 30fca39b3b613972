import { join } from 'node:path';
import { descendants } from '../../../../bench/sql/process-tree.ts';
import type { Child } from '../../../../server/test/support/child-process.ts';
import { freePort } from '../../../../server/test/support/free-port.ts';
import type { S3Server } from '../../../../server/test/support/s3-server.ts';
import { removeFolder, temporaryFolder } from '../../../../server/test/support/temporary-folder.ts';
import { SparkApplication } from './spark-application.ts';
import { OwnSparkConnect } from './spark-connect-server.ts';
import { type SparkConf, startSparkProcess } from './spark-process.ts';
import { type SparkS3Keys, sparkS3Conf } from './spark-s3.ts';

export interface SparkClusterOptions {
  /** The store that the frames are in; none if they are in a directory. */
  readonly s3?: S3Server;
  /** Of each executor; one runs on each worker. */
  readonly executorMemory?: string;
  /** Of the driver, which is Spark Connect itself. */
  readonly driverMemory?: string;
  readonly conf?: SparkConf;
  /** Credentials that Spark reads and writes S3 with, in place of the server's own. */
  readonly s3Keys?: SparkS3Keys;
}

/** The daemons only pass messages on. */
const daemonMemory = '192m';

/** A worker of Spark's standalone mode: a daemon, and an executor for each application that runs. */
export class SparkWorker {
  readonly folder: string;
  readonly #masterUrl: string;
  #child: Child | null = null;

  constructor(folder: string, masterUrl: string) {
    this.folder = folder;
    this.#masterUrl = masterUrl;
  }

  start(memory: string): void {
    this.#child = startSparkProcess({
      folder: this.folder,
      program: 'spark-class',
      args: [
        'org.apache.spark.deploy.worker.Worker',
        '--host',
        '127.0.0.1',
        '--webui-port',
        '0',
        '--cores',
        '1',
      ].concat(['--memory', memory, '--work-dir', join(this.folder, 'work'), this.#masterUrl]),
      conf: {},
      memory: daemonMemory,
      isShort: true,
    });
  }

  get executors(): number[] {
    return this.#child ? descendants(this.#child.pid) : [];
  }

  /** The daemon and its executors at once, as when a machine is lost. What the executors kept for others is removed with them. */
  async kill(): Promise<void> {
    const executors = this.executors;
    const gone = this.#child?.stop('SIGKILL');
    for (const pid of executors) kill(pid);
    await gone;
    removeFolder(join(this.folder, 'tmp'));
  }
}

/** Master, two workers and Spark Connect, on loopback: what a statement runs on that exceeds one machine. */
export class SparkCluster {
  readonly connect: OwnSparkConnect;
  readonly workers: readonly [SparkWorker, SparkWorker];
  readonly application: SparkApplication;
  readonly #master: Child;
  readonly #folder: string;
  readonly #workerMemory: string;

  private constructor(parts: {
    readonly connect: OwnSparkConnect;
    readonly workers: readonly [SparkWorker, SparkWorker];
    readonly application: SparkApplication;
    readonly master: Child;
    readonly folder: string;
    readonly workerMemory: string;
  }) {
    this.connect = parts.connect;
    this.workers = parts.workers;
    this.application = parts.application;
    this.#master = parts.master;
    this.#folder = parts.folder;
    this.#workerMemory = parts.workerMemory;
  }

  static async start(options: SparkClusterOptions = {}): Promise<SparkCluster> {
    const { executorMemory = '700m', driverMemory = '1g' } = options;
    const folder = temporaryFolder('spark-cluster');
    const [port, webPort, applicationPort] = [await freePort(), await freePort(), await freePort()];
    const masterUrl = `spark://127.0.0.1:${port}`;
    const master = startSparkProcess({
      folder: join(folder, 'master'),
      program: 'spark-class',
      args: ['org.apache.spark.deploy.master.Master', '--host', '127.0.0.1', '--port', `${port}`].concat([
        '--webui-port',
        `${webPort}`,
      ]),
      conf: { 'spark.master.rest.enabled': 'false' },
      memory: daemonMemory,
      isShort: true,
    });
    // What Java needs beside its heap counts as well.
    const workerMemory = '4g';
    const worker = (name: string) => new SparkWorker(join(folder, name), masterUrl);
    const workers = [worker('one'), worker('two')] as const;
    await master.until('answer of the master', async () =>
      (await aliveWorkers(webPort)) === null ? null : true,
    );
    for (const worker of workers) worker.start(workerMemory);
    await master.until('two workers', async () => ((await aliveWorkers(webPort)) === 2 ? true : null));
    const connect = await OwnSparkConnect.start({
      master: masterUrl,
      memory: driverMemory,
      conf: {
        'spark.executor.memory': executorMemory,
        'spark.executor.cores': '1',
        'spark.executor.extraJavaOptions': '-XX:+UseSerialGC',
        'spark.ui.enabled': 'true',
        'spark.ui.port': `${applicationPort}`,
        // Bounded, and low enough that a dead worker is noticed while a test waits.
        'spark.network.timeout': '60s',
        'spark.executor.heartbeatInterval': '5s',
        ...(options.s3 ? sparkS3Conf(options.s3, options.s3Keys) : {}),
        ...options.conf,
      },
    });
    const application = new SparkApplication(applicationPort);
    return new SparkCluster({ connect, workers, application, master, folder, workerMemory });
  }

  get url(): string {
    return this.connect.url;
  }

  /** After `kill`: an empty worker in its place. */
  startAgain(worker: SparkWorker): void {
    worker.start(this.#workerMemory);
  }

  async stop(): Promise<void> {
    await this.connect.stop();
    await Promise.all(this.workers.map((worker) => worker.kill()));
    await this.#master.stop('SIGKILL');
    removeFolder(this.#folder);
  }
}

/** Null if the master does not answer yet. */
async function aliveWorkers(webPort: number): Promise<number | null> {
  const answer = await fetch(`http://127.0.0.1:${webPort}/json/`).catch(() => null);
  if (!answer?.ok) return null;
  const state = (await answer.json()) as { readonly aliveworkers: number };
  return state.aliveworkers;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended since it was listed.
  }
}
