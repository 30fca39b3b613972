import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { isolatedCompileCache } from '../base/compile-cache.ts';
import { type FromJob, type JobStart, startedMessage, type ToJob } from './protocol.ts';
import { WorkerExit } from './worker-exit.ts';

/** Often enough that what is allocated in between, at a few GB a second, is some hundred megabytes; a look takes some 20 µs. */
const lookMs = 25;
const pageBytes = 4096;

/** What a process may hold when its job has ended, to be given another, unless its pool says so: one that has just started holds some 60 MB. */
const reusedBytesDefault = 160 * 1024 * 1024;
/** Small leaks end with their process. */
const jobsMax = 1_000;

/** V8 counts what WebAssembly has reserved, used or not, and collects without end as it comes near its limit: 10,000 columns of Parquet took 58 s of CPU in place of 6. */
const heapShare = 1.5;

/**
 * A worker that is a process, for work whose memory cannot be bounded from inside: if V8's heap is full, it may end the whole process, whatever
 * `resourceLimits` a thread has, and buffers and WebAssembly are outside of these. One job at a time; its port is continued over
 * the process's channel. A process whose job ended well and left little behind is given another: starting one takes longer than a small job.
 */
export class WorkerProcess extends EventEmitter<{ error: [unknown]; exit: [number | null] }> {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #memoryBytesMax: number;
  readonly #reusedBytesMax: number;
  readonly #start = Promise.withResolvers<void>();
  #isStarted = false;
  /** Of the job under way. */
  #limitMs: number | null = null;
  #workMsMax = Number.POSITIVE_INFINITY;
  #watch: NodeJS.Timeout | null = null;
  /** Of the job under way. */
  #port: MessagePort | null = null;
  #jobs = 0;

  constructor(
    module: URL,
    memoryBytesMax: number,
    reusedBytesMax = Math.min(reusedBytesDefault, memoryBytesMax / 2),
  ) {
    super();
    this.#memoryBytesMax = memoryBytesMax;
    this.#reusedBytesMax = reusedBytesMax;
    this.#child = fork(module, {
      // Buffers and WebAssembly count too, so that the heap alone never has all of it. A task may ask for a collection before it ends: what it has
      // left counts when its process is to be kept.
      execArgv: [
        `--max-old-space-size=${Math.ceil((heapShare * memoryBytesMax) / 1024 / 1024)}`,
        '--expose-gc',
      ],
      // It reads untrusted bytes, so it gets nothing of the server's environment.
      env: isolatedCompileCache(),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.#exited = new Promise((resolve) => {
      this.#child.on('exit', (code, signal) => {
        this.#stopWatch();
        if (endedByHeap(code, signal)) this.emit('error', new WorkerExit('memory'));
        this.emit('exit', code);
        resolve();
      });
      this.#child.on('error', (error) => {
        this.emit('error', error);
        if (this.#child.pid === undefined) resolve();
      });
    });
    this.#child.on('message', (message: FromJob | typeof startedMessage) => {
      if (message === startedMessage) this.#begin();
      else this.#port?.postMessage(message);
    });
    this.unref();
  }

  postMessage({ task, payload, port }: JobStart): void {
    this.#port = port;
    this.#jobs++;
    // What is still on its way to a job that has ended must not reach the next one.
    port.on('message', (message: ToJob) => {
      if (this.#port === port) this.#send(message);
    });
    this.#child.send({ task, payload });
    this.#child.ref();
    this.#child.channel?.ref();
    this.#watch ??= setInterval(() => this.#look(), lookMs);
  }

  /** The job's work, as the processor's time: a busy machine is not its fault, nor is what the process did to start. */
  limitWork(milliseconds: number): void {
    this.#limitMs = milliseconds;
    if (this.#isStarted) this.#workMsMax = workedMs(this.#child.pid) + milliseconds;
  }

  /** When it takes jobs; never, if it ends before. */
  get started(): Promise<void> {
    return this.#start.promise;
  }

  #begin(): void {
    this.#isStarted = true;
    this.#start.resolve();
    if (this.#limitMs !== null) this.limitWork(this.#limitMs);
  }

  /** Its job has ended. Whether it may be given another. */
  rest(): boolean {
    this.#stopWatch();
    this.#port = null;
    this.#limitMs = null;
    this.#workMsMax = Number.POSITIVE_INFINITY;
    this.unref();
    const bytes = residentBytes(this.#child.pid);
    // 0: the system does not say how much it holds.
    return this.#jobs < jobsMax && bytes > 0 && bytes < this.#reusedBytesMax;
  }

  unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  async terminate(): Promise<void> {
    this.#stopWatch();
    // It may be all that this program still waits for.
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #stopWatch(): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
  }

  #send(message: ToJob): void {
    // The channel of a process that is going may be closed before that is known here.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #look(): void {
    const bytes = residentBytes(this.#child.pid);
    if (bytes > this.#memoryBytesMax)
      this.emit('error', new WorkerExit('memory', new Error(`it held ${bytes} bytes`)));
    else if (workedMs(this.#child.pid) > this.#workMsMax) this.emit('error', new WorkerExit('time'));
  }
}

/** V8 aborts, or traps, if its heap is full. */
function endedByHeap(code: number | null, signal: NodeJS.Signals | null): boolean {
  return signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134 || code === 133;
}

/** CPU time of all its threads; 0 if the system does not say. */
function workedMs(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // After the name, which is in brackets and may hold anything: in ticks of 10 ms, by user and system.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

/** 0 if the system does not say: only Linux does so cheaply. */
function residentBytes(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * pageBytes;
  } catch {
    return 0;
  }
}
