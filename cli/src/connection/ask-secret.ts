import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from '../usage-error.ts';

/** Asks on the terminal without showing what is typed. */
export function askSecret(question: string, signal: AbortSignal): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  return new Promise((resolve, reject) => {
    const asking = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
    // Only now: before that, the terminal shows what is typed.
    process.stderr.write(question);
    // The promise is settled before closing says that nothing was typed.
    const end = (act: () => void) => {
      act();
      process.stderr.write('\n');
      asking.close();
    };
    // The terminal is in raw mode: Ctrl-C arrives here, not as a signal.
    asking.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    asking.once('close', () => reject(new UsageError('Nothing was typed.', 'Run the command again.')));
    asking.once('line', (line) => end(() => resolve(line.trim())));
    signal.addEventListener('abort', () => end(() => reject(signal.reason)), { once: true });
  });
}
