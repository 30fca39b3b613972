import { Worker } from 'node:worker_threads';
import { entryModule } from '../base/package-files.ts';
import {
  type Answer,
  beatMs,
  type ManagementStart,
  plainText,
  type Question,
  type ToMain,
} from './protocol.ts';

export interface ManagementOptions {
  readonly address: ManagementStart['address'];
  /** A main thread that takes no turn for so long is stuck. Default: 10 s. */
  readonly stuckMs?: number;
  /** Rejects, with what is wrong, if the server cannot serve. */
  readonly ready: () => Promise<void>;
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface ManagementListener {
  /** A URL, or `unix:` and a path. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * A busy server takes turns of some tens of milliseconds, in its worst seconds of one or two. Ten are beyond all that was seen of one that goes on, and a
 * supervisor that asks every ten seconds has asked once more by then.
 */
const stuckMsDefault = 10_000;

/** Probes on an address of their own, answered by a thread of their own: new connections to the main port wait while that is busy. */
export async function startManagementListener(options: ManagementOptions): Promise<ManagementListener> {
  const beat = new Int32Array(new SharedArrayBuffer(4));
  const counting = setInterval(() => Atomics.add(beat, 0, 1), beatMs);
  const start = { address: options.address, beat, stuckMs: options.stuckMs ?? stuckMsDefault };
  const worker = new Worker(entryModule(import.meta.url, 'management-worker'), {
    workerData: start satisfies ManagementStart,
  });
  const close = async () => {
    clearInterval(counting);
    await worker.terminate();
  };
  try {
    const listening = Promise.withResolvers<string>();
    worker.on('error', listening.reject);
    worker.on('message', (message: ToMain) => {
      if (message.kind === 'listening') listening.resolve(message.address);
      else if (message.kind === 'failed') listening.reject(startError(message));
      else
        void answerOf(message.question, options).then((answer) =>
          worker.postMessage({ id: message.id, ...answer } satisfies Answer),
        );
    });
    return { address: await listening.promise, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function startError({ code, message }: Extract<ToMain, { kind: 'failed' }>): Error {
  return Object.assign(new Error(message), { code, syscall: 'listen' });
}

async function answerOf(question: Question, options: ManagementOptions): Promise<Omit<Answer, 'id'>> {
  try {
    if (question === 'metrics') return { status: 200, ...(await options.metrics()) };
    await options.ready();
    return { status: 200, contentType: plainText, text: 'ready' };
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    return { status: 503, contentType: plainText, text };
  }
}
