/** The reason of the signal that every request gets: Ctrl-C, or a signal from outside. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
    super('interrupted');
    // As a shell reports a program that a signal ended.
    this.exitCode = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal];
  }
}
