import { entryModule } from '../../base/package-files.ts';
import { tenantOfRequest } from '../../base/request-time.ts';
import { type RenderPools, renderTurnMsMax } from '../../encode/renderer.ts';
import { ThreadPool } from '../../workers/thread-pool.ts';

/**
 * The pools of the codec and of the renderer. Work runs in one of three ways, and each has one entry module:
 *
 * - interactive: in threads, because a caller waits and a thread starts at once and stays;
 * - isolated: in processes, because a caller waits and only the memory of a process can be limited as a whole;
 * - background: in processes of low priority, because no caller waits.
 *
 * A pool is a share of the machine that other work of the same way cannot take.
 */
const interactive = { module: entryModule(import.meta.url, 'interactive-worker'), whose: tenantOfRequest };
const isolated = {
  module: entryModule(import.meta.url, 'isolated-worker'),
  whose: tenantOfRequest,
  jobsPerThread: 1,
};
const background = { module: entryModule(import.meta.url, 'background-worker'), jobsPerThread: 1 };

export interface CodecSizes {
  /** Threads that follow uploads. Checks mostly wait for bytes, so many share one. */
  readonly checkThreads: number;
  /** Processes that decode uploads: each holds a row group or a batch in memory. */
  readonly decodeThreads: number;
  /** Of a process that decodes an upload. */
  readonly decodeMemoryBytesMax: number;
  readonly transcodeThreads: number;
}

export interface CodecPools {
  readonly checks: ThreadPool;
  readonly aloneChecks: ThreadPool;
  readonly decodes: ThreadPool;
  readonly smallDecodes: ThreadPool;
  readonly transcodes: ThreadPool;
  readonly smallTranscodes: ThreadPool;
  readonly background: ThreadPool;
}

/** Checks of one thread at once: more than puts are allowed at once by default. */
const checksPerThread = 256;
/** A check takes a turn of milliseconds, and of a few seconds if a batch is as large as it may be: longer is a fault. */
const checkTurnMsMax = 30_000;
/** Uploads that may wait for a decoder. */
const decodeQueueMax = 64;
/** Parts that statements may wait for at once. */
const interactiveQueueMax = 256;
/** As long as a caller would wait. */
const callerWaitMs = 60_000;
/** All checks of a thread that is lost wait at once, behind the one that lost it. */
const aloneWaitMs = 300_000;
/** What waits for the background is in the catalog, and comes here only when its turn has come. */
const backgroundWaitMs = 600_000;
/** Beside parts that are transcoded, the background compacts one run and compresses one Arrow form at a time. */
const otherBackgroundJobs = 2;
/**
 * What writes Parquet is a process: for a part of 100,000 columns it takes 0.8 GB, in pieces of which a thread would leave most to the server
 * for good. It ends soon after its last part, and at once if it holds much.
 */
export const transcodeLimits = { processBytesMax: 4 * 1024 ** 3, idleMs: 10_000 };

export function codecPools(sizes: CodecSizes): CodecPools {
  const { checkThreads, decodeThreads, decodeMemoryBytesMax, transcodeThreads } = sizes;
  const checks = {
    ...interactive,
    threads: checkThreads,
    queueMax: checksPerThread,
    turnMsMax: checkTurnMsMax,
  };
  const decodes = {
    ...isolated,
    queueMax: decodeQueueMax,
    queueWaitMs: callerWaitMs,
    processBytesMax: decodeMemoryBytesMax,
  };
  const transcodes = { queueMax: interactiveQueueMax, queueWaitMs: callerWaitMs };
  return {
    checks: new ThreadPool({
      ...checks,
      name: 'check',
      jobsPerThread: checksPerThread,
      queueWaitMs: 30_000,
    }),
    aloneChecks: new ThreadPool({
      ...checks,
      name: 'lone check',
      jobsPerThread: 1,
      freshThreads: true,
      queueWaitMs: aloneWaitMs,
    }),
    decodes: new ThreadPool({ ...decodes, name: 'decode', threads: decodeThreads }),
    // For small uploads while large ones have all the other slots: they may hold them for minutes.
    smallDecodes: new ThreadPool({ ...decodes, name: 'decode-small', threads: 1 }),
    // Apart from the background's, whose parts may take minutes each.
    transcodes: new ThreadPool({
      ...isolated,
      ...transcodes,
      ...transcodeLimits,
      name: 'urgent',
      threads: transcodeThreads,
    }),
    // To start a process and its Parquet library takes longer than to transcode a small part: this thread stays.
    smallTranscodes: new ThreadPool({
      ...interactive,
      ...transcodes,
      name: 'urgent-small',
      threads: 1,
      jobsPerThread: 1,
    }),
    background: new ThreadPool({
      ...background,
      ...transcodeLimits,
      name: 'background',
      threads: transcodeThreads + otherBackgroundJobs,
      queueMax: 1,
      queueWaitMs: backgroundWaitMs,
    }),
  };
}

export interface RenderSizes {
  /** Two: one slow answer never holds up all others, and two cores are what small machines have. */
  readonly threads: number;
  /** Many, because a job mostly waits for its reader; each holds about a megabyte while it does. The reads are bounded where they are let in. */
  readonly jobsPerThread?: number;
  /** How long a job may give nothing while its reader waits. */
  readonly stallMsMax?: number;
  /** Another entry module of the threads, for tests. */
  readonly module?: URL;
}

/** Jobs that read or write Parquet at once, for each thread that renders: each holds a row group inside the library, whose memory is bounded. */
const parquetJobs = 8;
/** As many jobs as share a thread may each take two seconds for a batch before a job has its turn; and a busy machine takes twice as long. */
const jobStallMsMax = 300_000;
/** Answers that may wait for a thread; further readers are better told to come back. */
const renderQueueMax = 256;
/** A reader sees nothing until then. */
const renderWaitMs = 10_000;

export function renderPools(sizes: RenderSizes): RenderPools {
  const { threads, jobsPerThread = 64, stallMsMax = jobStallMsMax, module = interactive.module } = sizes;
  const shared = {
    ...interactive,
    module,
    threads,
    queueMax: renderQueueMax,
    queueWaitMs: renderWaitMs,
    turnMsMax: renderTurnMsMax,
    stallMsMax,
  };
  return {
    shared: new ThreadPool({ ...shared, name: 'render', jobsPerThread }),
    alone: new ThreadPool({ ...shared, name: 'lone render', jobsPerThread: 1, freshThreads: true }),
    parquet: new ThreadPool({
      ...shared,
      name: 'Parquet render',
      threads: threads * parquetJobs,
      jobsPerThread: 1,
      idleMax: threads,
    }),
  };
}
