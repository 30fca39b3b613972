import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { FromJob, JobStart, ToJob } from './protocol.ts';
import { WorkerLoss } from './worker-loss.ts';

/** Often enough that what is allocated in between, at a few GB a second, is some hundred megabytes; a look takes some 20 µs. */
const lookMs = 25;
const pageBytes = 4096;

/**
 * A worker that is a process, for work whose memory cannot be bounded from inside: where V8's heap is full, it may end the whole process, whatever
 * `resourceLimits` a thread has, and buffers and WebAssembly are outside of these. One job at a time; its port is continued over
 * the process's channel.
 */
export class WorkerProcess extends EventEmitter<{ error: [unknown]; exit: [number | null] }> {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #memoryBytesMax: number;
  #workMsMax = Number.POSITIVE_INFINITY;
  readonly #watch: NodeJS.Timeout;

  constructor(module: URL, memoryBytesMax: number) {
    super();
    this.#memoryBytesMax = memoryBytesMax;
    this.#child = fork(module, {
      // Buffers and WebAssembly count too, so that the heap alone never has all of it.
      execArgv: [`--max-old-space-size=${Math.ceil(memoryBytesMax / 1024 / 1024)}`],
      // It reads a stranger's bytes: nothing of the server's surroundings is its business.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.#exited = new Promise((resolve) => {
      this.#child.on('exit', (code, signal) => {
        clearInterval(this.#watch);
        if (endedByHeap(code, signal)) this.emit('error', new WorkerLoss('memory'));
        this.emit('exit', code);
        resolve();
      });
      this.#child.on('error', (error) => {
        this.emit('error', error);
        if (this.#child.pid === undefined) resolve();
      });
    });
    this.#watch = setInterval(() => this.#look(), lookMs);
    this.unref();
  }

  postMessage({ task, payload, port }: JobStart): void {
    this.#child.send({ task, payload });
    port.on('message', (message: ToJob) => this.#send(message));
    this.#child.on('message', (message: FromJob) => port.postMessage(message));
    this.#child.ref();
    this.#child.channel?.ref();
  }

  /** Its work, as the processor's time, from its start on: a busy machine is not its fault. */
  limitWork(milliseconds: number): void {
    this.#workMsMax = milliseconds;
  }

  unref(): void {
    this.#watch.unref();
    this.#child.unref();
    this.#child.channel?.unref();
  }

  async terminate(): Promise<void> {
    clearInterval(this.#watch);
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #send(message: ToJob): void {
    // The channel of a process that is going may be closed before that is known here.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #look(): void {
    const bytes = residentBytes(this.#child.pid);
    if (bytes > this.#memoryBytesMax)
      this.emit('error', new WorkerLoss('memory', new Error(`it held ${bytes} bytes`)));
    else if (workedMs(this.#child.pid) > this.#workMsMax) this.emit('error', new WorkerLoss('time'));
  }
}

/** V8 aborts, or traps, where its heap is full. */
function endedByHeap(code: number | null, signal: NodeJS.Signals | null): boolean {
  return signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134 || code === 133;
}

/** Of the processor, in all its threads; 0 where the system does not tell. */
function workedMs(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Behind the name, which stands in brackets and may hold anything: in ticks of 10 ms, by user and system.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

/** 0 where the system does not tell: only Linux does so cheaply. */
function residentBytes(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * pageBytes;
  } catch {
    return 0;
  }
}
