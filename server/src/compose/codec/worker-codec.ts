import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
import type { ThreadPool } from '../../workers/thread-pool.ts';
import { WorkerExit } from '../../workers/worker-exit.ts';
import { type CodecPools, type CodecSizes, codecPools, transcodeLimits } from '../workers/worker-pools.ts';

export interface WorkerCodecOptions extends CodecSizes {
  readonly limits: CheckLimits;
  readonly compression: { readonly algorithm: ParquetCompression; readonly level: number };
}

/** An upload of this size is decoded in well under a second, unless it was made to take long. */
const smallUploadBytes = 1024 * 1024;
/** What is transcoded in a thread that stays: the Parquet library's memory, which only grows, stays at some 30 MB. */
const smallPartBytes = 2 * 1024 * 1024;

/**
 * To transcode a MiB takes some 50 ms; what takes longer than this is a part that says little and means much. With a statement that waits it is less
 * than others wait for the one thread that transcodes small parts; in the background, at low priority, a busy machine may be slow.
 */
const interactiveMsMin = 15_000;
const backgroundMsMin = 600_000;
const transcodeMsPerMebibyte = 2_000;
/** The level of zstd if a caller waits: higher ones take up to thirty times as long, for a few per cent (docs/figures/files.md). */
const interactiveLevelMax = 1;
/** A run of parts is 64 MB at most. */
const compactionMsMax = 300_000;

/** The codec in worker threads and processes. */
export class WorkerCodec implements Codec {
  readonly #options: WorkerCodecOptions;
  readonly #pools: CodecPools;

  constructor(options: WorkerCodecOptions) {
    this.#options = options;
    this.#pools = codecPools(options);
  }

  check(path: string, onSchema: ((schema: SchemaRecord) => void) | null = null): CheckRun {
    const pools = { shared: this.#pools.checks, alone: this.#pools.aloneChecks };
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
      const { decodes, smallDecodes } = this.#pools;
      const isBusy = decodes.running >= this.#options.decodeThreads;
      const pool = isBusy && size <= smallUploadBytes ? smallDecodes : decodes;
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
      return await this.#pools.checks.run<Result>(task, payload, signal);
    } catch (thrown) {
      if (!(thrown instanceof WorkerExit) || signal?.aborted) throw thrown;
      return await this.#pools.aloneChecks.run<Result>(task, payload, signal);
    }
  }

  async compact(request: CompactRequest, signal: AbortSignal): Promise<CompactReport> {
    const { smallTranscodes, background } = this.#pools;
    const pool = request.interactive === true ? smallTranscodes : background;
    return pool.run('compact', request, signal, { timeMs: compactionMsMax });
  }

  async transcode(request: TranscodeRequest, signal: AbortSignal): Promise<TranscodeReport> {
    const { size } = await stat(request.source);
    const { transcodes, smallTranscodes, background } = this.#pools;
    const interactive = size <= smallPartBytes ? smallTranscodes : transcodes;
    const pool = request.interactive === true ? interactive : background;
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
          : `needed more than ${transcodeLimits.processBytesMax / 1024 ** 3} GiB of memory`;
      const what = `A part of ${size} bytes ${took} to be written as Parquet`;
      // In the background it had all the time that there is: it would be the same again.
      if (request.interactive !== true) return { files: [], exact: false, refusal: `${what}.` };
      throw new FrameholdError('sql_failed', `${what}, which SQL reads.`, {
        hint: 'Try again if the machine was busy. Otherwise its values expand to far more than they take: read the frame as arrow.',
      });
    }
  }

  async pack(request: PackRequest, signal: AbortSignal): Promise<Written | null> {
    return this.#pools.background.run('pack', request, signal);
  }

  /** For the metrics. */
  get pools(): readonly ThreadPool[] {
    return Object.values({ ...this.#pools });
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
