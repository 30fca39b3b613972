import type { RunningServer } from '../compose/server.ts';
import { type BoundUrls, isBeyondLoopback, openWarning } from './greeting.ts';

/** Often enough that whoever looks at a day of the log sees it, rare enough not to hide the rest. */
const reminderMs = 3_600_000;

/** Warns in the log as long as other machines can connect to an open server: at once, then every hour. The first credential ends it. */
export function remindOfOpenServer(
  server: Pick<RunningServer, 'isOpen' | 'log'>,
  bound: BoundUrls,
  closeCommand: string,
): Disposable {
  const remind = () => {
    if (!server.isOpen) return;
    server.log.write('warn', { event: 'open-server', detail: openWarning(bound), hint: closeCommand });
  };
  if (!isBeyondLoopback(bound)) return { [Symbol.dispose]: () => {} };
  remind();
  const timer = setInterval(remind, reminderMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
