import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Asks on the terminal without showing what is typed. */
export function askSecret(question: string, signal: AbortSignal): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  return new Promise((resolve, reject) => {
    const asking = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
    // Only now: before that, the terminal shows what is typed.
    process.stderr.write(question);
    const end = (act: () => void) => {
      asking.close();
      process.stderr.write('\n');
      act();
    };
    // The terminal is in raw mode: Ctrl-C arrives here, not as a signal.
    asking.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    asking.once('line', (line) => end(() => resolve(line.trim())));
    signal.addEventListener('abort', () => end(() => reject(signal.reason)), { once: true });
  });
}
