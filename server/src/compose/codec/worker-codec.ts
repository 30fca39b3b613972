import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { entryModule } from '../../base/package-files.ts';
import { tenantOfRequest } from '../../base/request-time.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { SchemaRecord } from '../../model/version.ts';
import type { ParquetCompression } from '../../parquet/parquet-encodings.ts';
import type {
  CheckRun,
  Codec,
  CompactReport,
  CompactRequest,
  ConvertReport,
  ConvertRequest,
  DecodeReport,
  DecodeRequest,
  ExaminedFile,
  InspectReport,
  InspectRequest,
  PackRequest,
  Reconciled,
  TranscodeReport,
  TranscodeRequest,
  Written,
} from '../../ports/codec.ts';
import type { CheckLimits } from '../../validate/check-stream.ts';
import { uploadFailure, workMsMax } from '../../validate/upload-limits.ts';
import { WorkerCheck } from '../../validate/worker-check.ts';
import { ThreadPool } from '../../workers/thread-pool.ts';
import { WorkerExit } from '../../workers/worker-exit.ts';

export interface WorkerCodecOptions {
  /** Threads that follow uploads. Checks mostly wait for bytes, so many share one. */
  readonly checkThreads: number;
  /** Threads that decode uploads: each holds a row group or a batch in memory. */
  readonly decodeThreads: number;
  readonly transcodeThreads: number;
  readonly limits: CheckLimits;
  /** Of a process that decodes an upload. */
  readonly decodeMemoryBytesMax: number;
  readonly compression: { readonly algorithm: ParquetCompression; readonly level: number };
}

/** Checks of one thread at once: more than puts are allowed at once by default. */
const checksPerThread = 256;
/** Uploads that may wait for a decoder. */
const decodeQueueMax = 64;
/** An upload of this size is decoded in well under a second, unless it was made to take long. */
const smallUploadBytes = 1024 * 1024;
/** Parts that statements may wait for at once. */
const interactiveQueueMax = 256;
/** What is transcoded in a thread that stays: the Parquet library's memory, which only grows, stays at some 30 MB. */
const smallPartBytes = 2 * 1024 * 1024;

/** A check takes a turn of milliseconds, and of a few seconds if a batch is as large as it may be: longer is a fault. */
const checkTurnMsMax = 30_000;
/**
 * To transcode a MiB takes some 50 ms; what takes longer than this is a part that says little and means much. With a statement that waits it is less
 * than others wait for the one thread that transcodes small parts; in the background, at low priority, a busy machine may be slow.
 */
const interactiveMsMin = 15_000;
const backgroundMsMin = 600_000;
const transcodeMsPerMebibyte = 2_000;
/**
 * What writes Parquet is a process: for a part of 100,000 columns it takes 0.8 GB, in pieces of which a thread would leave most to the server
 * for good. It ends soon after its last part, and at once if it holds much.
 */
const apart = { processBytesMax: 4 * 1024 ** 3, idleMs: 10_000 };
/** The level of zstd if a caller waits: higher ones take up to thirty times as long, for a few per cent (docs/figures/files.md). */
const interactiveLevelMax = 1;
/** A run of parts is 64 MB at most. */
const compactionMsMax = 300_000;

/** The codec in worker threads, and in processes where an upload is decoded. */
export class WorkerCodec implements Codec {
  readonly #options: WorkerCodecOptions;
  readonly #checks: ThreadPool;
  readonly #isolatedChecks: ThreadPool;
  readonly #decodes: ThreadPool;
  readonly #smallDecodes: ThreadPool;
  readonly #transcodes: ThreadPool;
  readonly #compactions: ThreadPool;
  readonly #recompressions: ThreadPool;
  readonly #interactive: ThreadPool;
  readonly #interactiveSmall: ThreadPool;

  constructor(options: WorkerCodecOptions) {
    this.#options = options;
    const checks = {
      module: entryModule(import.meta.url, 'check-worker'),
      threads: options.checkThreads,
      queueMax: checksPerThread,
      whose: tenantOfRequest,
      turnMsMax: checkTurnMsMax,
    };
    this.#checks = new ThreadPool({
      ...checks,
      name: 'check',
      jobsPerThread: checksPerThread,
      queueWaitMs: 30_000,
    });
    this.#isolatedChecks = new ThreadPool({
      ...checks,
      name: 'lone check',
      jobsPerThread: 1,
      freshThreads: true,
      // All checks of a thread that is lost come here at once, behind the one that lost it.
      queueWaitMs: 300_000,
    });
    const decodes = {
      module: entryModule(import.meta.url, '../../decode/decode-worker'),
      threads: options.decodeThreads,
      jobsPerThread: 1,
      queueMax: decodeQueueMax,
      whose: tenantOfRequest,
      // As long as a client would wait.
      queueWaitMs: 60_000,
      processBytesMax: options.decodeMemoryBytesMax,
    };
    this.#decodes = new ThreadPool({ ...decodes, name: 'decode' });
    // For small uploads while large ones have all the other slots: they may hold them for minutes.
    this.#smallDecodes = new ThreadPool({ ...decodes, name: 'decode-small', threads: 1 });
    // In the background, one after another: what waits is in the catalog, not here.
    this.#transcodes = new ThreadPool({
      name: 'settle',
      module: entryModule(import.meta.url, '../../transcode/to-parquet/transcode-worker'),
      threads: options.transcodeThreads,
      jobsPerThread: 1,
      queueMax: 1,
      queueWaitMs: 600_000,
      ...apart,
    });
    this.#compactions = new ThreadPool({
      name: 'merge',
      module: entryModule(import.meta.url, '../../transcode/compact/compact-worker'),
      threads: 1,
      jobsPerThread: 1,
      queueMax: 1,
      queueWaitMs: 600_000,
      ...apart,
    });
    // A pool of its own: hours of work at a high level must not delay transcoding.
    this.#recompressions = new ThreadPool({
      name: 'squeeze',
      module: entryModule(import.meta.url, '../../transcode/recompress/recompress-worker'),
      threads: 1,
      jobsPerThread: 1,
      queueMax: 1,
      queueWaitMs: 600_000,
      ...apart,
    });
    // Apart from the background's, whose parts may take minutes each.
    const interactive = {
      module: entryModule(import.meta.url, '../../transcode/interactive-worker'),
      threads: options.transcodeThreads,
      jobsPerThread: 1,
      queueMax: interactiveQueueMax,
      whose: tenantOfRequest,
      // As long as a caller would wait.
      queueWaitMs: 60_000,
    };
    this.#interactive = new ThreadPool({ ...interactive, ...apart, name: 'urgent' });
    // To start a thread and its Parquet library takes longer than to transcode a small part: these threads stay.
    this.#interactiveSmall = new ThreadPool({ ...interactive, name: 'urgent-small', threads: 1 });
  }

  check(path: string, onSchema: ((schema: SchemaRecord) => void) | null = null): CheckRun {
    const pools = { shared: this.#checks, alone: this.#isolatedChecks };
    return new WorkerCheck(pools, path, this.#options.limits, onSchema);
  }

  async decode(request: DecodeRequest, signal: AbortSignal): Promise<DecodeReport> {
    return await this.#ofUpload('decode', request, signal);
  }

  async inspect(request: InspectRequest, signal: AbortSignal): Promise<InspectReport> {
    return await this.#ofUpload('inspect', request, signal);
  }

  async convert(request: ConvertRequest, signal: AbortSignal): Promise<ConvertReport> {
    return await this.#ofUpload('convert', request, signal);
  }

  async examine(files: readonly string[], signal: AbortSignal): Promise<readonly ExaminedFile[]> {
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
    const { batchBytesMax } = this.#options.limits;
    return await this.#inDecoder('examine', { files, batchBytesMax }, size, signal);
  }

  async #ofUpload<Report>(
    task: 'decode' | 'inspect' | 'convert',
    request: DecodeRequest | InspectRequest | ConvertRequest,
    signal: AbortSignal,
  ): Promise<Report> {
    const { size } = await stat(request.source);
    return await this.#inDecoder(task, request, size, signal);
  }

  async #inDecoder<Report>(
    task: 'decode' | 'inspect' | 'convert' | 'examine',
    request: object,
    size: number,
    signal: AbortSignal,
  ): Promise<Report> {
    const { decodeMemoryBytesMax, limits } = this.#options;
    const timeMs = workMsMax(limits.timeMs, size);
    try {
      const isBusy = this.#decodes.running >= this.#options.decodeThreads;
      const pool = isBusy && size <= smallUploadBytes ? this.#smallDecodes : this.#decodes;
      return await pool.run<Report>(task, request, signal, { timeMs });
    } catch (thrown) {
      throw uploadFailure(thrown, task === 'convert' ? task : 'decode', {
        timeMs,
        memoryBytesMax: decodeMemoryBytesMax,
      });
    }
  }

  async hash(path: string, algorithm: 'sha256' | 'sha512', signal: AbortSignal): Promise<string> {
    return this.#inChecks('hash', { path, algorithm }, signal);
  }

  async reconcile(base: SchemaRecord, added: SchemaRecord): Promise<Reconciled> {
    return this.#inChecks('reconcile', { base, added });
  }

  async renumber(source: string, target: string, schema: SchemaRecord, signal: AbortSignal): Promise<void> {
    await this.#inChecks('renumber', { source, target, schema }, signal);
  }

  /** Begins again alone if another job has taken the shared thread with it. */
  async #inChecks<Result>(task: string, payload: unknown, signal?: AbortSignal): Promise<Result> {
    try {
      return await this.#checks.run<Result>(task, payload, signal);
    } catch (thrown) {
      if (!(thrown instanceof WorkerExit) || signal?.aborted) throw thrown;
      return await this.#isolatedChecks.run<Result>(task, payload, signal);
    }
  }

  async compact(request: CompactRequest, signal: AbortSignal): Promise<CompactReport> {
    const pool = request.interactive === true ? this.#interactiveSmall : this.#compactions;
    return pool.run('compact', request, signal, { timeMs: compactionMsMax });
  }

  async transcode(request: TranscodeRequest, signal: AbortSignal): Promise<TranscodeReport> {
    const { size } = await stat(request.source);
    const interactive = size <= smallPartBytes ? this.#interactiveSmall : this.#interactive;
    const pool = request.interactive === true ? interactive : this.#transcodes;
    const timeMs =
      (request.interactive === true ? interactiveMsMin : backgroundMsMin) +
      (size / 1024 / 1024) * transcodeMsPerMebibyte;
    try {
      const { algorithm, level } = this.#options.compression;
      const levelMax = request.interactive === true ? interactiveLevelMax : level;
      const task = { request, compression: { algorithm, level: Math.min(level, levelMax) } };
      return await pool.run<TranscodeReport>('transcode', task, signal, { timeMs });
    } catch (thrown) {
      await removeWritten(request);
      if (!(thrown instanceof WorkerExit) || (thrown.reason !== 'time' && thrown.reason !== 'memory'))
        throw thrown;
      const took =
        thrown.reason === 'time'
          ? `took longer than ${Math.round(timeMs / 1_000)} s`
          : `needed more than ${apart.processBytesMax / 1024 ** 3} GiB of memory`;
      const what = `A part of ${size} bytes ${took} to be written as Parquet`;
      // In the background it had all the time that there is: it would be the same again.
      if (request.interactive !== true) return { files: [], exact: false, refusal: `${what}.` };
      throw new FrameholdError('sql_failed', `${what}, which SQL reads.`, {
        hint: 'Try again if the machine was busy. Otherwise its values expand to far more than they take: read the frame as arrow.',
      });
    }
  }

  async pack(request: PackRequest, signal: AbortSignal): Promise<Written | null> {
    return this.#recompressions.run('pack', request, signal);
  }

  /** For the metrics. */
  get pools(): readonly ThreadPool[] {
    return [
      this.#checks,
      this.#isolatedChecks,
      this.#decodes,
      this.#smallDecodes,
      this.#transcodes,
      this.#compactions,
      this.#recompressions,
      this.#interactive,
      this.#interactiveSmall,
    ];
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.close()));
  }
}

/** A worker that was ended in the middle of its work cannot remove the files that it has written. */
async function removeWritten({ targetDirectory, targetPrefix }: TranscodeRequest): Promise<void> {
  const names = await readdir(targetDirectory);
  const written = names.filter((name) => name.startsWith(targetPrefix));
  await Promise.all(written.map((name) => rm(join(targetDirectory, name), { force: true })));
}
