const signals = ['SIGTERM', 'SIGINT'] as const;

export interface StopSignal extends Disposable {
  /** Resolves with the first signal that asks to stop. */
  readonly arrived: Promise<NodeJS.Signals>;
}

/** Watches for requests to stop. The first one is waited for; with the second, patience has ended and so does the process. */
export function watchStopSignals(): StopSignal {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let asked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked) process.exit(1);
    asked = true;
    resolve(signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    arrived: promise,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
