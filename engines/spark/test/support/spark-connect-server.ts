import type { Child } from '../../../../server/test/support/child-process.ts';
import { freePort } from '../../../../server/test/support/free-port.ts';
import { removeFolder, temporaryFolder } from '../../../../server/test/support/temporary-folder.ts';
import { answersStatement } from './connect-probe.ts';
import { type SparkConf, startSparkProcess } from './spark-process.ts';
import { inWholeSparkRun } from './spark-run.ts';

export interface SparkConnectServer {
  /** `sc://127.0.0.1:port`, as `spark.url` has it. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface SparkConnectOptions {
  /** Where its tasks run: in its own process, unless a cluster is named. */
  readonly master?: string;
  readonly memory?: string;
  readonly conf?: SparkConf;
  readonly env?: Readonly<Record<string, string>>;
}

/** The Spark Connect of the whole test run, or one of our own if this file runs alone. */
export async function startSparkConnect(): Promise<SparkConnectServer> {
  const url = process.env.TEST_SPARK_URL;
  if (url) return { url, stop: async () => {} };
  return await OwnSparkConnect.start();
}

/** For tests that kill it, or that need settings of their own. */
export class OwnSparkConnect implements SparkConnectServer {
  readonly port: number;
  readonly folder: string;
  readonly #options: SparkConnectOptions;
  #child: Child | null = null;

  private constructor(port: number, options: SparkConnectOptions) {
    this.port = port;
    this.folder = temporaryFolder('spark-connect');
    this.#options = options;
  }

  static async start(options: SparkConnectOptions = {}): Promise<OwnSparkConnect> {
    const connect = new OwnSparkConnect(await freePort(), options);
    await connect.start();
    return connect;
  }

  get url(): string {
    return `sc://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    if (!this.#child) throw new Error('not started');
    return this.#child.pid;
  }

  get lines(): readonly string[] {
    return this.#child?.lines ?? [];
  }

  /** Again after `kill`, on the same port; ready when a statement is answered. */
  async start(): Promise<void> {
    const { master = 'local[2]', memory = '1g', conf = {}, env = {} } = this.#options;
    const child = startSparkProcess({
      folder: this.folder,
      program: 'spark-submit',
      args: ['--class', 'org.apache.spark.sql.connect.service.SparkConnectServer', 'spark-internal'],
      memory,
      isShort: inWholeSparkRun(false, true),
      env,
      conf: {
        'spark.master': master,
        'spark.driver.memory': memory,
        'spark.ui.enabled': 'false',
        'spark.sql.shuffle.partitions': '4',
        'spark.connect.grpc.binding.address': '127.0.0.1',
        'spark.connect.grpc.binding.port': `${this.port}`,
        // As the documents say: a task that ignores its end takes its executor with it.
        'spark.task.reaper.enabled': 'true',
        'spark.task.reaper.killTimeout': '5s',
        ...conf,
      },
    });
    this.#child = child;
    await child.until('answer to a statement', async () =>
      (await answersStatement(this.port, conf['spark.connect.authenticate.token'])) ? true : null,
    );
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.signal(signal);
  }

  /** kill -9 */
  async kill(): Promise<void> {
    await this.#child?.stop('SIGKILL');
  }

  async stop(): Promise<void> {
    // It has nothing to save, and its orderly end takes seconds.
    await this.kill();
    removeFolder(this.folder);
  }
}
