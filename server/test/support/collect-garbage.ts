/** Loaded before a server: SIGUSR2 collects its garbage, so that what is measured afterwards is what it holds. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    // What only finalizers free goes with the second one.
    collect();
    setImmediate(collect);
  });
}
