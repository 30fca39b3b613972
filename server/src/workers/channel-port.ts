import type { MessagePort } from 'node:worker_threads';
import type { ToJob } from './protocol.ts';

/** As much of a port as a job uses. */
export type JobPort = Pick<MessagePort, 'postMessage' | 'close'> & {
  on(event: 'message', listener: (message: ToJob) => void): unknown;
};

/** The channel to the server as the port of one job, in a worker that is a process. Jobs come one after another. */
export class ChannelPort implements JobPort {
  #listener: ((message: ToJob) => void) | null = null;

  /** A message of the server to the job. */
  take(message: ToJob): void {
    this.#listener?.(message);
  }

  on(_event: 'message', listener: (message: ToJob) => void): void {
    this.#listener = listener;
  }

  postMessage(message: unknown): void {
    process.send?.(message);
  }

  close(): void {
    this.#listener = null;
  }
}
