/** Something on this machine is in the way: a file, a directory, a terminal. */
export class LocalError extends Error {
  override readonly name = 'LocalError';
  readonly hint: string;

  constructor(detail: string, hint: string, cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}

/** A failed call of the file system, in words. Anything else is given back as it is. */
export function fileError(thrown: unknown, path: string): unknown {
  const code = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
  switch (code) {
    case 'ENOENT':
      return new LocalError(
        `${path} does not exist.`,
        'Check the path; it is relative to the current directory.',
        thrown,
      );
    case 'ENOTDIR':
      return new LocalError(`A part of ${path} is not a directory.`, 'Check the path.', thrown);
    case 'EISDIR':
      return new LocalError(`${path} is a directory.`, 'Give the path of a file.', thrown);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new LocalError(
        `${path} is not accessible for this user (${code}).`,
        'Change its permissions, or choose another place.',
        thrown,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new LocalError(
        `There is no space left for ${path} (${code}).`,
        'Free some space, or choose another place.',
        thrown,
      );
    default:
      return thrown;
  }
}
