import { withSourceLines } from '../base/source-lines.ts';

/** An error as a log line holds it. */
export interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

/** Deeper causes add nothing; this also ends a chain that bites its tail. */
const causesMax = 4;
/** Room for some hundred frames. A message can hold a whole statement. */
const charsMax = 8_192;

export function describeError(thrown: unknown, depth = 0): DescribedError {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: cut(String(thrown)) };
  const { code } = thrown as NodeJS.ErrnoException;
  const follows = thrown.cause !== undefined && thrown.cause !== null && depth < causesMax;
  return {
    name: thrown.name,
    message: cut(thrown.message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(thrown.stack === undefined ? {} : { stack: cut(withSourceLines(thrown.stack)) }),
    ...(follows ? { cause: describeError(thrown.cause, depth + 1) } : {}),
  };
}

function cut(text: string): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}
