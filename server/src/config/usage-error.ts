/** The command or the settings are invalid. The message is one line; the exit code is 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message.replaceAll(/\s*[\r\n]+\s*/g, ' '));
    this.name = 'UsageError';
  }
}
