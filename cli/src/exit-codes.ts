import { FrameholdError } from '../../client/src/index.ts';
import { Interrupted } from './interrupted.ts';
import { LocalError } from './local-error.ts';
import { OutputClosed } from './output/standard-output.ts';
import { UsageError } from './usage-error.ts';

/** Documented in docs/reference/command-line.md: a script may rely on them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  noAnswer: 5,
  badInput: 6,
  conflict: 7,
  localFile: 8,
  outputClosed: 141,
} as const;

export function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof LocalError) return exitCodes.localFile;
  if (error instanceof OutputClosed) return exitCodes.outputClosed;
  return error instanceof FrameholdError ? codeOfAnswer(error) : exitCodes.failed;
}

function codeOfAnswer({ status, code }: FrameholdError): number {
  if (code === 'network' || code === 'incomplete_answer') return exitCodes.noAnswer;
  // From a proxy, or from something else that answers there.
  if (code === 'unreadable_answer') return exitCodes.noAnswer;
  if (code === 'bad_argument') return exitCodes.usage;
  if (code === 'sql_refused') return exitCodes.badInput;
  switch (status) {
    case 401:
    case 403:
      return exitCodes.notAllowed;
    case 404:
    case 410:
      return exitCodes.notFound;
    case 409:
    case 412:
      return exitCodes.conflict;
    case 429:
    case 502:
    case 503:
    case 504:
      return exitCodes.noAnswer;
    default:
      return status >= 400 && status < 500 ? exitCodes.badInput : exitCodes.failed;
  }
}
