/** The command line itself is wrong: exit code 2. `hint` says what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(detail: string, hint?: string) {
    super(detail);
    this.hint = hint;
  }
}
