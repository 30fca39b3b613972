import { isatty } from 'node:tty';

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

export interface Signals extends Disposable {
  /** Resolves with the first signal that asks to stop. */
  readonly stop: Promise<NodeJS.Signals>;
  /** What is to be done when settings should be loaded again. */
  onReload: () => void;
}

/**
 * Watches for requests to stop, and to reload. The first request to stop is waited for; with the second, patience has ended and so does the
 * process. If there is a terminal, SIGHUP means that it is gone: then the server stops. A service has none, and reloads.
 */
export function watchSignals(hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))): Signals {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let asked = false;
  const onStop = (signal: NodeJS.Signals) => {
    // A terminal that closes sends more than one SIGHUP: the shell's and the kernel's.
    if (asked && signal !== 'SIGHUP') process.exit(1);
    asked = true;
    resolve(signal);
  };
  const onHangup = (signal: NodeJS.Signals) => {
    if (hasTerminal) onStop(signal);
    else signals.onReload();
  };
  for (const signal of stopSignals) process.on(signal, onStop);
  process.on('SIGHUP', onHangup);
  const signals: Signals = {
    stop: promise,
    // Before the server runs there is nothing to reload: it has just read its settings.
    onReload: () => {},
    [Symbol.dispose]: () => {
      for (const signal of stopSignals) process.off(signal, onStop);
      process.off('SIGHUP', onHangup);
    },
  };
  return signals;
}
