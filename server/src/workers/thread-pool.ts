import { MessageChannel, Worker } from 'node:worker_threads';
import { WaitingLine } from '../base/waiting-line.ts';
import { FrameholdError } from '../model/errors.ts';
import { Job, type JobInput } from './job.ts';
import { beatMs, type JobStart, type WorkerBeat } from './protocol.ts';
import { type ExitReason, WorkerExit } from './worker-exit.ts';
import { WorkerProcess } from './worker-process.ts';

export interface ThreadPoolOptions {
  /** What errors call the pool. */
  readonly name: string;
  /** The thread's entry module, which calls `serveTasks`. */
  readonly module: URL;
  readonly threads: number;
  /** Jobs a thread may hold at once. More than one only for jobs that mostly wait. */
  readonly jobsPerThread: number;
  /** Jobs that may wait for a thread; the next one is rejected. */
  readonly queueMax: number;
  /** How long a job may wait for a thread. */
  readonly queueWaitMs: number;
  /** The tenant whose job begins: those of different tenants get a thread in turn. Default: all are nobody's. */
  readonly whose?: () => string;
  /** A fresh thread for each job, ended after it: gives back memory that WebAssembly never does. */
  readonly freshThreads?: boolean;
  /** Processes in place of threads, each with at most this much memory: for work on untrusted bytes, which could make it endless. One job at a time. */
  readonly processBytesMax?: number;
  /** A process that holds no more than this when its job has ended is given another. Default: little more than one that has just started. */
  readonly reusedBytesMax?: number;
  /** Threads that stay when they have nothing to do; the others end. Default: all stay. */
  readonly idleMax?: number;
  /** One that has had nothing to do for so long ends, whatever it holds, and no spare is kept. */
  readonly idleMs?: number;
  /** If jobs share threads: a thread that takes no turns for so long is ended, and its jobs fail with a WorkerExit. */
  readonly turnMsMax?: number;
  /** Only with `turnMsMax`: a job that has owed its reader something for so long is stopped, and fails with a WorkerExit; if it does not stop, its thread is ended. */
  readonly stallMsMax?: number;
}

export interface RunOptions {
  /** A job that works for longer loses its worker. Only if it shares it with no other. A process is given the processor's time, and ten times as long. */
  readonly timeMs?: number;
}

/**
 * The heap of a thread. It is much more than any job needs, whose bounds are in what it reads: if the heap is full, V8 may end the
 * whole process. Without it a machine with little memory would have a small one.
 */
const heapMegabytes = 4096;

/** How much longer than it works a process may take, on a machine that is busy or slow to read and write. */
const processPatience = 10;

/** A process starts in half a second on a quiet machine, and in 15 seconds where thirty others want the processor. */
const processStartMsMax = 60_000;

/** A thread that holds more than this, and has had nothing to do for a while, ends: another starts in a fraction of a second. */
const heavyBytes = 96 * 1024 * 1024;
const heavyIdleMs = 10_000;

/** How long a cancelled job may take to stop before its thread is ended. */
const stopGraceMs = 1_000;

interface Thread {
  readonly worker: Worker | WorkerProcess;
  readonly jobs: Set<Job>;
  /** When it had started and took messages; until then, never. */
  readyAt: number;
  readonly beat: Int32Array;
  idle: NodeJS.Timeout | undefined;
}

/** A bounded number of threads, each with a bounded number of jobs, and a bounded queue before them. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #line = new WaitingLine<Thread>();
  #closed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Jobs that have not ended, in all threads. */
  get running(): number {
    let jobs = 0;
    for (const thread of this.#threads) jobs += thread.jobs.size;
    return jobs;
  }

  /** Threads or processes that are there, whether or not they work. */
  get workers(): number {
    return this.#threads.size;
  }

  /** Jobs that wait for a thread. */
  get waiting(): number {
    return this.#line.size;
  }

  /** Starts a job as soon as a thread has room. The signal cancels it, waiting or running. */
  async start(task: string, payload: unknown, signal?: AbortSignal, options: RunOptions = {}): Promise<Job> {
    signal?.throwIfAborted();
    const launch = (thread: Thread) => {
      const job = this.#launch(thread, task, payload, signal);
      if (options.timeMs !== undefined) this.#limit(thread, job, options.timeMs);
      return job;
    };
    const thread = this.#freeThread();
    return thread === null ? this.#wait(launch, signal) : launch(thread);
  }

  /** Runs a job to its result. */
  async run<Result>(
    task: string,
    payload: unknown,
    signal?: AbortSignal,
    options: RunOptions = {},
  ): Promise<Result> {
    const job = await this.start(task, payload, signal, options);
    return (await job.result) as Result;
  }

  /** The chunks of a job. A reader that stops early cancels it. */
  async *stream<Chunk>(
    task: string,
    payload: unknown,
    signal?: AbortSignal,
  ): AsyncGenerator<Chunk, void, void> {
    const job = await this.start(task, payload, signal);
    try {
      yield* job.chunks() as AsyncGenerator<Chunk, void, void>;
    } finally {
      if (!job.ended) this.#stop(job);
    }
  }

  /**
   * The chunks of a job that is fed by a source, with back-pressure on both sides. A source that fails ends the chunks with its own error; a
   * reader that stops early cancels the job, and the source is returned from once it gives its next item or fails.
   */
  async *streamFed<Chunk>(
    task: string,
    payload: unknown,
    source: AsyncIterable<JobInput>,
    signal?: AbortSignal,
  ): AsyncGenerator<Chunk, void, void> {
    const job = await this.start(task, payload, signal);
    let failure: { readonly thrown: unknown } | null = null;
    const watched = watch(source, (thrown) => {
      failure = { thrown };
    });
    void job.feed(watched);
    try {
      yield* job.chunks() as AsyncGenerator<Chunk, void, void>;
    } catch (thrown) {
      // The same error, but the one that was thrown here still has its cause.
      throw (failure as { readonly thrown: unknown } | null)?.thrown ?? thrown;
    } finally {
      if (!job.ended) this.#stop(job);
    }
  }

  /** Cancels a running job; ends its thread if it does not stop in time. */
  cancel(job: Job): void {
    if (!job.ended) this.#stop(job);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const stopping = new FrameholdError('draining', 'The server is stopping.');
    this.#line.refuseAll(stopping);
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, stopping)));
  }

  #freeThread(): Thread | null {
    if (this.#closed) throw new FrameholdError('draining', 'The server is stopping.');
    let best: Thread | null = null;
    for (const thread of this.#threads) {
      if (
        thread.jobs.size < this.#options.jobsPerThread &&
        (best === null || thread.jobs.size < best.jobs.size)
      )
        best = thread;
    }
    // A new thread is better than sharing one, as long as there may be one.
    if ((best === null || best.jobs.size > 0) && this.#threads.size < this.#options.threads)
      return this.#spawn();
    return best;
  }

  #spawn(): Thread {
    const { module, processBytesMax, reusedBytesMax, turnMsMax } = this.#options;
    const beat = new Int32Array(new SharedArrayBuffer(4));
    const worker =
      processBytesMax === undefined
        ? new Worker(module, {
            stdin: false,
            resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
            workerData: { beat } satisfies WorkerBeat,
          })
        : new WorkerProcess(module, processBytesMax, reusedBytesMax);
    const thread: Thread = {
      worker,
      jobs: new Set(),
      beat,
      readyAt: Number.POSITIVE_INFINITY,
      idle: undefined,
    };
    this.#threads.add(thread);
    // A process has one job only: nobody else waits for it to start.
    if (worker instanceof WorkerProcess) thread.readyAt = Number.NEGATIVE_INFINITY;
    else
      worker.once('message', () => {
        thread.readyAt = performance.now();
      });
    const gone = (cause: unknown) =>
      void this.#end(thread, cause instanceof WorkerExit ? cause : new WorkerExit('died', cause));
    worker.on('error', gone);
    worker.on('exit', (code) => gone(new Error(`the worker ended with code ${code}`)));
    worker.unref();
    if (turnMsMax !== undefined) this.#watch(thread, turnMsMax);
    return thread;
  }

  /** Ends the thread when it has not counted for too long while it had jobs, and stops jobs that have stalled. */
  #watch(thread: Thread, turnMsMax: number): void {
    const { stallMsMax = Number.POSITIVE_INFINITY } = this.#options;
    let counted = -1;
    let since = performance.now();
    const timer = setInterval(() => {
      if (!this.#threads.has(thread)) {
        clearInterval(timer);
        return;
      }
      const readyMs = performance.now() - thread.readyAt;
      for (const job of thread.jobs)
        if (Math.min(job.stalledMs, readyMs) > stallMsMax && job.stopReason === null)
          this.#stop(job, new WorkerExit('stalled'));
      const now = Atomics.load(thread.beat, 0);
      if (now !== counted || thread.jobs.size === 0) {
        counted = now;
        since = performance.now();
      } else if (performance.now() - since > turnMsMax) void this.#end(thread, new WorkerExit('stuck'));
    }, beatMs);
    timer.unref();
  }

  #limit(thread: Thread, job: Job, timeMs: number): void {
    const { worker } = thread;
    const end = (reason: ExitReason) => void this.#end(thread, new WorkerExit(reason));
    let timer: NodeJS.Timeout;
    const limit = (milliseconds: number, reason: ExitReason) => {
      clearTimeout(timer);
      if (!job.ended) timer = setTimeout(() => end(reason), milliseconds).unref();
    };
    if (worker instanceof WorkerProcess) {
      worker.limitWork(timeMs);
      limit(processStartMsMax, 'died');
      worker.started.then(() => limit(timeMs * processPatience, 'time'));
    } else limit(timeMs, 'time');
    const clear = () => clearTimeout(timer);
    job.result.then(clear, clear);
  }

  #wait(launch: (thread: Thread) => Job, signal: AbortSignal | undefined): Promise<Job> {
    const { name, queueMax, queueWaitMs, whose } = this.#options;
    const limits = {
      max: queueMax,
      waitMs: queueWaitMs,
      full: () => busy(`Too many requests wait for the ${name} workers.`),
      late: () => busy(`The ${name} workers were busy for ${queueWaitMs} ms.`),
    };
    return this.#line.wait(whose?.() ?? '', launch, limits, signal);
  }

  #launch(thread: Thread, task: string, payload: unknown, signal: AbortSignal | undefined): Job {
    const { port1, port2 } = new MessageChannel();
    const job = new Job(port1);
    thread.jobs.add(job);
    clearTimeout(thread.idle);
    const onAbort = () => this.#stop(job);
    signal?.addEventListener('abort', onAbort, { once: true });
    const ended = () => {
      signal?.removeEventListener('abort', onAbort);
      thread.jobs.delete(job);
      if (job.retiresThread || this.#endsAfter(thread)) void this.#replace(thread);
      this.#serveQueue();
      this.#rests(thread);
    };
    job.result.then(ended, ended);
    const start: JobStart = { task, payload, port: port2 };
    if (thread.worker instanceof WorkerProcess) thread.worker.postMessage(start);
    else thread.worker.postMessage(start, [port2]);
    if (signal?.aborted) onAbort();
    return job;
  }

  /** Whether a thread goes now that a job of it has ended. */
  #endsAfter({ jobs, worker }: Thread): boolean {
    const { freshThreads, idleMax = Number.POSITIVE_INFINITY } = this.#options;
    if (freshThreads) return true;
    if (worker instanceof WorkerProcess && !worker.rest()) return true;
    if (jobs.size > 0 || this.#line.size > 0) return false;
    let idle = 0;
    for (const thread of this.#threads) if (thread.jobs.size === 0) idle++;
    return idle > idleMax;
  }

  /** Nobody may come for it any more; and V8 does not collect what the last job has left if nothing runs. */
  #rests(thread: Thread): void {
    if (thread.jobs.size > 0 || !this.#threads.has(thread)) return;
    const { idleMs } = this.#options;
    const leave = async () => {
      if (idleMs === undefined && !(await isHeavy(thread))) return;
      if (thread.jobs.size === 0) await this.#end(thread, new WorkerExit('died'));
    };
    thread.idle = setTimeout(() => leave().catch(() => {}), idleMs ?? heavyIdleMs).unref();
  }

  /** Ends a thread that has done its job. If it was the last process, another is started for the next job. */
  async #replace(thread: Thread): Promise<void> {
    await this.#end(thread, new WorkerExit('died'));
    if (this.#closed || this.#options.idleMs !== undefined) return;
    if (thread.worker instanceof WorkerProcess && this.#threads.size === 0) this.#spawn();
  }

  #serveQueue(): void {
    while (this.#line.size > 0 && !this.#closed) {
      const thread = this.#freeThread();
      if (thread === null) return;
      this.#line.serve(thread);
    }
  }

  #stop(job: Job, reason: unknown = new FrameholdError('cancelled', 'The caller disconnected.')): void {
    job.cancel(reason);
    let timer: NodeJS.Timeout;
    const look = () => {
      for (const thread of this.#threads) {
        if (!thread.jobs.has(job)) continue;
        // A thread that still starts, on a busy machine, is not stuck; others wait for it as well.
        const leftMs = Math.min(stopGraceMs, thread.readyAt + stopGraceMs - performance.now());
        if (leftMs > 0) {
          timer = setTimeout(look, leftMs).unref();
          return;
        }
        // The job ends with the reason why it was stopped; for the other jobs of its thread it is a fault.
        job.fail(reason);
        void this.#end(thread, new WorkerExit('stuck', new Error('a cancelled job did not stop in time')));
      }
    };
    timer = setTimeout(look, stopGraceMs).unref();
    const clear = () => clearTimeout(timer);
    job.result.then(clear, clear);
  }

  async #end(thread: Thread, error: unknown): Promise<void> {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.idle);
    for (const job of thread.jobs) job.fail(error);
    await thread.worker.terminate();
    this.#serveQueue();
  }
}

/** A process is looked at whenever its job ends. */
async function isHeavy({ worker }: Thread): Promise<boolean> {
  if (worker instanceof WorkerProcess) return false;
  const { total_physical_size: heap, external_memory: outside } = await worker.getHeapStatistics();
  return heap + outside > heavyBytes;
}

async function* watch<Item>(
  source: AsyncIterable<Item>,
  onFailure: (thrown: unknown) => void,
): AsyncGenerator<Item, void, void> {
  try {
    yield* source;
  } catch (thrown) {
    onFailure(thrown);
    throw thrown;
  }
}

function busy(detail: string): FrameholdError {
  return new FrameholdError('overloaded', detail, { hint: 'Try again in a moment.' });
}
