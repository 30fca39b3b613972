import { writeFileSync } from 'node:fs';
import { parentPort, type Transferable, workerData } from 'node:worker_threads';
import { keepCompiledCode } from '../base/compile-cache.ts';
import { errorFromPayload, errorToPayload, FrameholdError } from '../model/errors.ts';
import { ChannelPort, type JobPort } from './channel-port.ts';
import {
  beatMs,
  type FromJob,
  type JobStart,
  startedMessage,
  type ToJob,
  type WorkerBeat,
} from './protocol.ts';

/** What a task can do besides its work. */
export interface TaskContext {
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
  /** Hands a chunk to the reader; resolves when there is room for another. Transferred buffers are gone from this thread. */
  emit(value: unknown, transfer?: readonly Transferable[]): Promise<void>;
  /** The thread cannot be used again after this job, whatever comes of it. */
  retire(): void;
  /** The next message sent to this job. */
  receive(): Promise<unknown>;
  /**
   * What the job is fed with. One more is asked for while one is worked on, so that at most one waits here. Throws what the
   * source threw: it ends normally only if the source did.
   */
  inputs(): AsyncGenerator<unknown, void, void>;
}

type Input = Extract<ToJob, { readonly type: `input${string}` }>;

export type Task = (payload: never, context: TaskContext) => Promise<unknown>;

/** Runs in a worker thread or process: answers jobs with the named tasks, in a thread several at once if they wait. */
export function serveTasks(tasks: Readonly<Record<string, Task>>): void {
  keepCompiledCode();
  if (parentPort === null) {
    serveInProcess(tasks);
    return;
  }
  const { beat } = workerData as WorkerBeat;
  // Whether the thread still takes turns: its pool looks.
  setInterval(() => Atomics.add(beat, 0, 1), beatMs).unref();
  parentPort.on('message', (start: JobStart) => {
    void runJob(tasks[start.task], start, start.port);
  });
  // Says that the thread has started.
  parentPort.postMessage(null);
}

/** One job after another; the server decides when the process ends. */
function serveInProcess(tasks: Readonly<Record<string, Task>>): void {
  // Without a server nobody needs what it makes.
  process.on('disconnect', () => process.exit());
  try {
    // If the machine has no memory left, this process goes before the server does.
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not Linux, or not allowed.
  }
  let port = new ChannelPort();
  process.on('message', (message: Omit<JobStart, 'port'> | ToJob) => {
    if ('type' in message) {
      port.take(message);
      return;
    }
    port = new ChannelPort();
    void runJob(tasks[message.task], message, port);
  });
  process.send?.(startedMessage);
}

async function runJob(task: Task | undefined, start: Omit<JobStart, 'port'>, port: JobPort): Promise<void> {
  const abort = new AbortController();
  const inbox: unknown[] = [];
  const inputs: Input[] = [];
  let credit = 0;
  let retires = false;
  let wakeWriter: (() => void) | null = null;
  let wakeReceiver: (() => void) | null = null;
  let wakeFed: (() => void) | null = null;

  port.on('message', (message: ToJob) => {
    switch (message.type) {
      case 'credit':
        credit += message.chunks;
        wakeWriter?.();
        return;
      case 'message':
        inbox.push(message.value);
        wakeReceiver?.();
        return;
      case 'cancel':
        abort.abort(new FrameholdError('cancelled', 'The caller disconnected.'));
        wakeWriter?.();
        wakeReceiver?.();
        wakeFed?.();
        return;
      default:
        inputs.push(message);
        wakeFed?.();
    }
  });

  const context: TaskContext = {
    signal: abort.signal,
    retire() {
      retires = true;
    },
    async emit(value, transfer = []) {
      while (credit <= 0) {
        abort.signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          wakeWriter = resolve;
        });
      }
      abort.signal.throwIfAborted();
      credit -= 1;
      port.postMessage({ type: 'chunk', value } satisfies FromJob, transfer);
    },
    async receive() {
      while (inbox.length === 0) {
        abort.signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          wakeReceiver = resolve;
        });
      }
      abort.signal.throwIfAborted();
      return inbox.shift();
    },
    async *inputs() {
      const ask = () => port.postMessage({ type: 'demand', inputs: 1 } satisfies FromJob);
      ask();
      for (;;) {
        while (inputs.length === 0) {
          abort.signal.throwIfAborted();
          await new Promise<void>((resolve) => {
            wakeFed = resolve;
          });
        }
        abort.signal.throwIfAborted();
        const input = inputs.shift() as Input;
        if (input.type === 'input-end') return;
        if (input.type === 'input-failed') throw errorFromPayload(input.error);
        ask();
        yield input.value;
      }
    },
  };

  let outcome: FromJob;
  try {
    if (task === undefined) throw new Error(`no task named ${start.task}`);
    const value = await task(start.payload as never, context);
    outcome = { type: 'done', value, retires };
  } catch (thrown) {
    outcome = { type: 'failed', error: errorToPayload(thrown), retires };
  }
  port.postMessage(outcome);
  port.close();
}
