import type { MessagePort } from 'node:worker_threads';
import type { ErrorPayload } from '../model/errors.ts';

/** What a thread is started with: a number that it counts up as long as it takes turns. */
export interface WorkerBeat {
  readonly beat: Int32Array;
}

/** Well below the shortest limit of a turn, so that a stuck thread is told from a slow one. */
export const beatMs = 500;

/** What a process says once, when it has started and takes jobs. */
export const startedMessage = 'started';

/** A job as it reaches a thread: everything else about it goes over its own port. */
export interface JobStart {
  readonly task: string;
  readonly payload: unknown;
  readonly port: MessagePort;
}

/** Main thread → job. Credit is the number of further chunks the reader has room for. */
export type ToJob =
  | { readonly type: 'credit'; readonly chunks: number }
  | { readonly type: 'message'; readonly value: unknown }
  | { readonly type: 'input'; readonly value: unknown }
  | { readonly type: 'input-end' }
  | { readonly type: 'input-failed'; readonly error: ErrorPayload }
  | { readonly type: 'cancel' };

/** Job → main thread. Demand is the number of further inputs the job has room for; if its thread retires, no other job may begin in it. */
export type FromJob =
  | { readonly type: 'demand'; readonly inputs: number }
  | { readonly type: 'chunk'; readonly value: unknown }
  | { readonly type: 'done'; readonly value: unknown; readonly retires: boolean }
  | { readonly type: 'failed'; readonly error: ErrorPayload; readonly retires: boolean };
