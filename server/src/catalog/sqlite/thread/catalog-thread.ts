import { Worker } from 'node:worker_threads';
import { entryModule } from '../../../base/package-files.ts';
import { type ErrorPayload, errorFromPayload, FrameholdError } from '../../../model/errors.ts';
import { outcomeUnknown } from '../../refusals.ts';
import type {
  Answers,
  FromThread,
  OperationAnswer,
  OperationName,
  OperationNames,
  OperationRequest,
  Operations,
} from './protocol.ts';

/** Some 10 MB of waiting changes; at the slowest disk's 1,000 a second the last would wait 10 s. */
const pendingMaxDefault = 10_000;

interface Pending {
  readonly isChange: boolean;
  readonly transcode: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The main thread's end of the catalog's thread: sends operations in batches and resolves each with its answer. */
export class CatalogThread {
  /** Of the catalog that the thread has open. */
  readonly operations: readonly OperationName[];
  readonly #writes: ReadonlySet<OperationName>;
  readonly #worker: Worker;
  readonly #pendingMax: number;
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<void>;
  readonly #watchers = new Set<(tenants: readonly string[]) => void>();
  #outbox: OperationRequest[] = [];
  #nextId = 1;
  #ended: FrameholdError | null = null;

  static async start(path: string, pendingMax = pendingMaxDefault): Promise<CatalogThread> {
    const worker = new Worker(entryModule(import.meta.url, 'sqlite-worker'), { workerData: { path } });
    // Listened to from the start: a thread that fails may end in the same turn in which its message arrives.
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    // Not a race of promises: if two settle in one turn, the wrong one may win.
    let first: FromThread | null = null;
    await new Promise<void>((resolve) => {
      worker.once('message', (message: FromThread) => {
        first = message;
        resolve();
      });
      void exited.then(resolve);
    });
    const message = first as FromThread | null;
    if (message !== null && typeof message === 'object' && 'writes' in message)
      return new CatalogThread(worker, exited, pendingMax, message);
    await exited;
    throw message !== null && typeof message === 'object' && 'openFailed' in message
      ? openFailure(path, message.openFailed)
      : new FrameholdError('internal', `The catalog ${path} did not open: its thread ended.`);
  }

  private constructor(
    worker: Worker,
    exited: Promise<void>,
    pendingMax: number,
    { reads, writes }: OperationNames,
  ) {
    this.operations = [...reads, ...writes];
    this.#writes = new Set(writes);
    this.#worker = worker;
    this.#pendingMax = pendingMax;
    this.#exited = exited;
    worker.on('message', (message: Answers | 'heavy') => {
      if (message === 'heavy') worker.postMessage('taken');
      else this.#takeAll(message);
    });
    worker.on('error', (cause) => this.#fail(cause));
    worker.on('exit', (code) => this.#fail(new Error(`The catalog's thread ended with code ${code}.`)));
  }

  /**
   * `apply` runs in the order in which operations took effect, before their callers continue. A change is outcome_unknown if
   * the thread ends before it answers.
   */
  call<Name extends OperationName, Result>(
    operation: Name,
    args: Parameters<Operations[Name]>,
    apply: (value: ReturnType<Operations[Name]>) => Result,
  ): Promise<Result> {
    if (this.#ended) return Promise.reject(this.#ended);
    if (this.#pending.size >= this.#pendingMax) {
      const busy = `${this.#pendingMax} catalog operations are waiting already.`;
      return Promise.reject(new FrameholdError('overloaded', busy, { hint: 'Try again in a moment.' }));
    }
    const id = this.#nextId++;
    // After pending promise jobs: callers that were answered together send their next operations together.
    if (this.#outbox.length === 0) process.nextTick(() => this.#send());
    this.#outbox.push({ id, operation, args });
    return new Promise((resolve, reject) => {
      const transcode = (value: unknown): void => resolve(apply(value as ReturnType<Operations[Name]>));
      this.#pending.set(id, { isChange: this.#writes.has(operation), transcode, reject });
    });
  }

  /** After changes, `watcher` gets the tenants that may have new events. Returns the function that ends it. */
  watchEvents(watcher: (tenants: readonly string[]) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Finishes all requested operations, then closes the file. */
  async close(): Promise<void> {
    if (!this.#ended) {
      this.#ended = new FrameholdError('draining', 'The catalog is closed.');
      this.#send();
      this.#worker.postMessage('close');
    }
    await this.#exited;
  }

  #send(): void {
    if (this.#outbox.length === 0) return;
    const requests = this.#outbox;
    this.#outbox = [];
    this.#worker.postMessage(requests);
  }

  #takeAll({ answers, changedTenants }: Answers): void {
    for (const answer of answers) this.#take(answer);
    if (changedTenants === undefined) return;
    for (const watcher of this.#watchers) watcher(changedTenants);
  }

  #take(answer: OperationAnswer): void {
    const pending = this.#pending.get(answer.id);
    if (!pending) return;
    this.#pending.delete(answer.id);
    if ('error' in answer) {
      pending.reject(errorFromPayload(answer.error));
      return;
    }
    try {
      pending.transcode(answer.value);
    } catch (error) {
      pending.reject(pending.isChange ? outcomeUnknown(error) : (error as Error));
    }
  }

  #fail(cause: unknown): void {
    const error = new FrameholdError(
      'internal',
      'The catalog is not available; the server must be restarted.',
      {
        cause,
      },
    );
    this.#ended ??= error;
    const unknown = outcomeUnknown(cause);
    for (const { isChange, reject } of this.#pending.values()) reject(isChange ? unknown : error);
    this.#pending.clear();
    this.#outbox = [];
  }
}

function openFailure(path: string, payload: ErrorPayload): FrameholdError {
  const error = errorFromPayload(payload);
  // Our own errors say what is wrong; those of SQLite are passed on as they are.
  if (payload.hint !== undefined || payload.kind !== 'internal') return error;
  const reason = payload.stack?.split('\n', 1)[0] ?? payload.detail;
  return new FrameholdError('internal', `The catalog ${path} cannot be opened: ${reason}`, { cause: error });
}
