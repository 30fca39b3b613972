import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { keepCompiledCode } from '../../../base/compile-cache.ts';
import { errorToPayload } from '../../../model/errors.ts';
import { openDatabase } from '../layout.ts';
import { GroupedCommits } from './grouped-commits.ts';
import { createOperations } from './operations.ts';
import type { FromThread, OperationName, OperationRequest, Operations, ToThread } from './protocol.ts';

/** The catalog's thread: the only one that touches the file. */

/** Limits the time that the first of a group waits for the last. */
const groupMax = 512;

if (!parentPort) throw new Error('sqlite-worker runs in a worker thread');
const port = parentPort;

function serve(path: string): void {
  const db = openDatabase(path);
  const operations = createOperations(db);
  const groups = new GroupedCommits(db, operations);
  // Limited by the main thread, which counts unanswered operations.
  let queue: OperationRequest[] = [];
  let closing = false;
  /** Large answers are on their way: more of them would pile up while the main thread is busy. */
  let waiting = false;

  const take = (message: ToThread): void => {
    if (message === 'close') closing = true;
    else if (message === 'taken') waiting = false;
    else queue = queue.length === 0 ? [...message] : queue.concat(message);
  };
  const drain = (): void => {
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) take(next.message);
  };

  port.on('message', (message: ToThread) => {
    take(message);
    for (drain(); queue.length > 0 && !waiting; drain()) {
      const rest = groups.run(queue.splice(0, groupMax), post);
      if (rest === null) continue;
      queue = [...rest, ...queue];
      waiting = true;
      post('heavy');
    }
    if (!closing || queue.length > 0) return;
    db.close();
    port.close();
  });
  post({ reads: namesOf(operations.reads), writes: namesOf(operations.writes) });
}

function namesOf(operations: Partial<Operations>): OperationName[] {
  return Object.keys(operations) as OperationName[];
}

function post(message: FromThread): void {
  port.postMessage(message);
}

keepCompiledCode();
try {
  serve((workerData as { path: string }).path);
} catch (error) {
  post({ openFailed: errorToPayload(error) });
  port.close();
}
