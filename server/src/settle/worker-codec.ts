import { stat } from 'node:fs/promises';
import type {
  CheckRun,
  Codec,
  DecodeRequest,
  MergeReport,
  MergeRequest,
  PackRequest,
  RecompressRequest,
  Reconciled,
  SettleReport,
  SettleRequest,
  Written,
} from '../frames/ports/codec.ts';
import type { SchemaRecord } from '../frames/version.ts';
import type { ParquetCompression } from '../parquet/parquet-encodings.ts';
import { siblingModule } from '../workers/module-path.ts';
import { ThreadPool } from '../workers/thread-pool.ts';
import type { CheckLimits } from './check-stream.ts';
import { WorkerCheck } from './worker-check.ts';

export interface WorkerCodecOptions {
  /** Threads that follow uploads. Checks mostly wait for bytes, so many share one. */
  readonly checkThreads: number;
  /** Threads that decode uploads: each holds a row group or a batch in memory. */
  readonly decodeThreads: number;
  readonly settleThreads: number;
  readonly limits: CheckLimits;
  readonly compression: ParquetCompression;
}

/** Checks of one thread at once: more than puts are allowed at once by default. */
const checksPerThread = 256;
/** Uploads that may wait for a decoder. */
const decodeQueueMax = 64;
/** Parts that statements may wait for at once. */
const urgentQueueMax = 256;
/** What is settled in a thread that stays: the Parquet library's memory, which only grows, stays at some 30 MB. */
const urgentSmallBytes = 2 * 1024 * 1024;

/** The codec in worker threads. */
export class WorkerCodec implements Codec {
  readonly #options: WorkerCodecOptions;
  readonly #checks: ThreadPool;
  readonly #decodes: ThreadPool;
  readonly #settles: ThreadPool;
  readonly #merges: ThreadPool;
  readonly #squeezes: ThreadPool;
  readonly #urgent: ThreadPool;
  readonly #urgentSmall: ThreadPool;

  constructor(options: WorkerCodecOptions) {
    this.#options = options;
    this.#checks = new ThreadPool({
      name: 'check',
      module: siblingModule(import.meta.url, 'check-worker'),
      threads: options.checkThreads,
      jobsPerThread: checksPerThread,
      queueMax: checksPerThread,
      queueWaitMs: 30_000,
    });
    this.#decodes = new ThreadPool({
      name: 'decode',
      module: siblingModule(import.meta.url, 'decode-worker'),
      threads: options.decodeThreads,
      jobsPerThread: 1,
      queueMax: decodeQueueMax,
      // As long as a client would wait.
      queueWaitMs: 60_000,
      freshThreads: true,
    });
    // In the background, one after another: what waits is in the catalog, not here.
    this.#settles = new ThreadPool({
      name: 'settle',
      module: siblingModule(import.meta.url, 'settle-worker'),
      threads: options.settleThreads,
      jobsPerThread: 1,
      queueMax: 1,
      queueWaitMs: 600_000,
      freshThreads: true,
    });
    this.#merges = new ThreadPool({
      name: 'merge',
      module: siblingModule(import.meta.url, 'merge-worker'),
      threads: 1,
      jobsPerThread: 1,
      queueMax: 1,
      queueWaitMs: 600_000,
      freshThreads: true,
    });
    // A pool of its own: hours of work at a high level must not stand before a settle.
    this.#squeezes = new ThreadPool({
      name: 'squeeze',
      module: siblingModule(import.meta.url, 'squeeze-worker'),
      threads: 1,
      jobsPerThread: 1,
      queueMax: 1,
      queueWaitMs: 600_000,
      freshThreads: true,
    });
    // Apart from the background's, whose parts may take minutes each.
    const urgent = {
      module: siblingModule(import.meta.url, 'urgent-worker'),
      threads: options.settleThreads,
      jobsPerThread: 1,
      queueMax: urgentQueueMax,
      // As long as a caller would wait.
      queueWaitMs: 60_000,
    };
    this.#urgent = new ThreadPool({ ...urgent, name: 'urgent', freshThreads: true });
    // To start a thread and its Parquet library takes longer than to settle a small part: these threads stay.
    this.#urgentSmall = new ThreadPool({ ...urgent, name: 'urgent-small', threads: 1 });
  }

  check(path: string): CheckRun {
    return new WorkerCheck(this.#checks, path, this.#options.limits);
  }

  async decode(request: DecodeRequest, signal: AbortSignal): Promise<void> {
    await this.#decodes.run('decode', request, signal);
  }

  async hash(path: string, algorithm: 'sha256' | 'sha512', signal: AbortSignal): Promise<string> {
    return this.#checks.run('hash', { path, algorithm }, signal);
  }

  async reconcile(base: SchemaRecord, added: SchemaRecord): Promise<Reconciled> {
    return this.#checks.run('reconcile', { base, added });
  }

  async renumber(source: string, target: string, schema: SchemaRecord, signal: AbortSignal): Promise<void> {
    await this.#checks.run('renumber', { source, target, schema }, signal);
  }

  async merge(request: MergeRequest, signal: AbortSignal): Promise<MergeReport> {
    return (request.urgent === true ? this.#urgentSmall : this.#merges).run('merge', request, signal);
  }

  async settle(request: SettleRequest, signal: AbortSignal): Promise<SettleReport> {
    const pool = request.urgent === true ? await this.#urgentPool(request) : this.#settles;
    return pool.run('settle', { request, compression: this.#options.compression }, signal);
  }

  async #urgentPool({ source }: SettleRequest): Promise<ThreadPool> {
    const { size } = await stat(source);
    return size <= urgentSmallBytes ? this.#urgentSmall : this.#urgent;
  }

  async pack(request: PackRequest, signal: AbortSignal): Promise<Written | null> {
    return this.#squeezes.run('pack', request, signal);
  }

  async recompress(request: RecompressRequest, signal: AbortSignal): Promise<readonly Written[] | null> {
    return this.#squeezes.run('recompress', request, signal);
  }

  /** For the metrics. */
  get pools(): readonly ThreadPool[] {
    return [
      this.#checks,
      this.#decodes,
      this.#settles,
      this.#merges,
      this.#squeezes,
      this.#urgent,
      this.#urgentSmall,
    ];
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.close()));
  }
}
