import { MessageChannel, Worker } from 'node:worker_threads';
import { FrameholdError } from '../frames/errors.ts';
import { Job, type JobInput, threadDied } from './job.ts';
import type { JobStart } from './protocol.ts';

export interface ThreadPoolOptions {
  /** What errors call the pool. */
  readonly name: string;
  /** The thread's entry module, which calls `serveTasks`. */
  readonly module: URL;
  readonly threads: number;
  /** Jobs a thread may hold at once. More than one only for jobs that mostly wait. */
  readonly jobsPerThread: number;
  /** Jobs that may wait for a thread; the next one is told to come back. */
  readonly queueMax: number;
  /** How long a job may wait for a thread. */
  readonly queueWaitMs: number;
  /** A fresh thread for each job, ended after it: gives back memory that WebAssembly never does. */
  readonly freshThreads?: boolean;
}

/** How long a cancelled job may take to stop before its thread is ended. */
const stopGraceMs = 1_000;

interface Thread {
  readonly worker: Worker;
  readonly jobs: Set<Job>;
  /** When it had started and took messages; until then, never. */
  readyAt: number;
}

interface Waiting {
  readonly start: (thread: Thread) => void;
  readonly refuse: (error: unknown) => void;
}

/** A bounded number of threads, each with a bounded number of jobs, and a bounded queue before them. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #queue = new Set<Waiting>();
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

  /** Jobs that wait for a thread. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Starts a job as soon as a thread has room. The signal cancels it, waiting or running. */
  async start(task: string, payload: unknown, signal?: AbortSignal): Promise<Job> {
    signal?.throwIfAborted();
    const thread = this.#freeThread();
    if (thread !== null) return this.#launch(thread, task, payload, signal);
    return this.#wait((free) => this.#launch(free, task, payload, signal), signal);
  }

  /** Runs a job to its result. */
  async run<Result>(task: string, payload: unknown, signal?: AbortSignal): Promise<Result> {
    const job = await this.start(task, payload, signal);
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

  /** Cancels a running job; ends its thread where it does not stop in time. */
  cancel(job: Job): void {
    if (!job.ended) this.#stop(job);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const stopping = new FrameholdError('draining', 'The server is stopping.');
    for (const waiting of this.#queue) waiting.refuse(stopping);
    this.#queue.clear();
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
    const worker = new Worker(this.#options.module, { stdin: false });
    const thread: Thread = { worker, jobs: new Set(), readyAt: Number.POSITIVE_INFINITY };
    this.#threads.add(thread);
    worker.once('message', () => {
      thread.readyAt = performance.now();
    });
    const gone = (cause: unknown) => void this.#end(thread, threadDied(cause));
    worker.on('error', gone);
    worker.on('exit', (code) => gone(new Error(`the thread ended with code ${code}`)));
    worker.unref();
    return thread;
  }

  #wait(launch: (thread: Thread) => Job, signal: AbortSignal | undefined): Promise<Job> {
    const { name, queueMax, queueWaitMs } = this.#options;
    if (this.#queue.size >= queueMax) throw busy(`Too many requests wait for the ${name} workers.`);
    return new Promise<Job>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#queue.delete(waiting);
      };
      const waiting: Waiting = {
        start: (thread) => {
          leave();
          resolve(launch(thread));
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const onAbort = () => waiting.refuse(signal?.reason);
      const timer = setTimeout(
        () => waiting.refuse(busy(`The ${name} workers were busy for ${queueWaitMs} ms.`)),
        queueWaitMs,
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#queue.add(waiting);
    });
  }

  #launch(thread: Thread, task: string, payload: unknown, signal: AbortSignal | undefined): Job {
    const { port1, port2 } = new MessageChannel();
    const job = new Job(port1);
    thread.jobs.add(job);
    const onAbort = () => this.#stop(job);
    signal?.addEventListener('abort', onAbort, { once: true });
    const ended = () => {
      signal?.removeEventListener('abort', onAbort);
      thread.jobs.delete(job);
      if (this.#options.freshThreads) void this.#end(thread, threadDied(null));
      this.#serveQueue();
    };
    job.result.then(ended, ended);
    thread.worker.postMessage({ task, payload, port: port2 } satisfies JobStart, [port2]);
    if (signal?.aborted) onAbort();
    return job;
  }

  #serveQueue(): void {
    for (const waiting of this.#queue) {
      if (this.#closed) return;
      const thread = this.#freeThread();
      if (thread === null) return;
      waiting.start(thread);
    }
  }

  #stop(job: Job): void {
    job.cancel();
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
        // For whoever cancelled it that is all that happened; for the others of its thread it is a fault.
        job.fail(new FrameholdError('cancelled', 'The job was cancelled.'));
        void this.#end(thread, threadDied(new Error('a cancelled job did not stop in time')));
      }
    };
    timer = setTimeout(look, stopGraceMs).unref();
    const clear = () => clearTimeout(timer);
    job.result.then(clear, clear);
  }

  async #end(thread: Thread, error: unknown): Promise<void> {
    if (!this.#threads.delete(thread)) return;
    for (const job of thread.jobs) job.fail(error);
    await thread.worker.terminate();
    this.#serveQueue();
  }
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
