import type { Transferable } from 'node:worker_threads';
import { parentPort } from 'node:worker_threads';
import { errorToPayload, FrameholdError } from '../frames/errors.ts';
import type { FromJob, JobStart, ToJob } from './protocol.ts';

/** What a task can do besides its work. */
export interface TaskContext {
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
  /** Hands a chunk to the reader; resolves when there is room for another. Transferred buffers are gone from this thread. */
  emit(value: unknown, transfer?: readonly Transferable[]): Promise<void>;
  /** The next message sent to this job. */
  receive(): Promise<unknown>;
}

export type Task = (payload: never, context: TaskContext) => Promise<unknown>;

/** Runs in a worker thread: answers jobs with the named tasks, several at once where they wait. */
export function serveTasks(tasks: Readonly<Record<string, Task>>): void {
  parentPort?.on('message', (start: JobStart) => {
    void runJob(tasks[start.task], start);
  });
}

async function runJob(task: Task | undefined, start: JobStart): Promise<void> {
  const { port } = start;
  const abort = new AbortController();
  const inbox: unknown[] = [];
  let credit = 0;
  let wakeWriter: (() => void) | null = null;
  let wakeReceiver: (() => void) | null = null;

  port.on('message', (message: ToJob) => {
    if (message.type === 'credit') credit += message.chunks;
    else if (message.type === 'message') inbox.push(message.value);
    else abort.abort(new FrameholdError('cancelled', 'The caller went away.'));
    if (message.type !== 'message') wakeWriter?.();
    if (message.type !== 'credit') wakeReceiver?.();
  });

  const context: TaskContext = {
    signal: abort.signal,
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
  };

  let outcome: FromJob;
  try {
    if (task === undefined) throw new Error(`no task named ${start.task}`);
    outcome = { type: 'done', value: await task(start.payload as never, context) };
  } catch (thrown) {
    outcome = { type: 'failed', error: errorToPayload(thrown) };
  }
  port.postMessage(outcome);
  port.close();
}
