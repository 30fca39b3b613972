import type { MessagePort } from 'node:worker_threads';

/** As much of a port as a job uses. */
export type JobPort = Pick<MessagePort, 'on' | 'postMessage' | 'close'>;

/** The channel to the server, in a worker that is a process with one job. */
export function channelPort(): JobPort {
  return {
    on: process.on.bind(process) as unknown as MessagePort['on'],
    postMessage: (message: unknown) => void process.send?.(message),
    // The server ends the process.
    close: () => {},
  };
}
