import { FrameholdError } from '../../client/src/index.ts';
import { Interrupted } from './interrupted.ts';
import { LocalError } from './local-error.ts';
import { safeText } from './output/safe-text.ts';
import { OutputClosed } from './output/standard-output.ts';
import { UsageError } from './usage-error.ts';

export interface ErrorContext {
  /** The server, if one was chosen. */
  readonly url: string | undefined;
  readonly hasToken: boolean;
}

/** What is wrong in one line, what to do in the next. Nothing if the person has ended it. */
export async function describeFailure(error: unknown, context: ErrorContext): Promise<string> {
  if (error instanceof Interrupted || error instanceof OutputClosed) return '';
  if (error instanceof UsageError || error instanceof LocalError) return lines(error.message, error.hint);
  if (!(error instanceof FrameholdError)) return lines(`An unexpected fault: ${stackOf(error)}`, undefined);
  if (error.code === 'network' && context.url !== undefined) {
    const { explainNetwork } = await import('./connection/explain-network.ts');
    const { detail, hint } = await explainNetwork(error, context.url);
    return lines(detail, hint);
  }
  if (error.code === 'unauthenticated') return lines(error.detail, tokenHint(context));
  if (error.code === 'unreadable_answer' && error.status !== 0)
    return lines(
      `What answers at ${context.url} is not a Framehold server (status ${error.status}).`,
      'Use the port of HTTP (default 9000), not that of Arrow Flight (default 50052); a proxy may also have answered.',
    );
  const place = error.line === undefined ? '' : ` (line ${error.line}, column ${error.column})`;
  return lines(`${error.detail}${place}`, error.hint ?? usualHint(error));
}

function lines(detail: string, hint: string | undefined): string {
  const first = `framehold: ${safeText(detail, '\n\t').trimEnd()}\n`;
  return hint === undefined ? first : `${first}  ${safeText(hint, '\t')}\n`;
}

function tokenHint({ hasToken, url }: ErrorContext): string {
  if (!hasToken)
    return 'Run framehold login, set FRAMEHOLD_TOKEN, or give --token-file FILE. framehold token create makes a token.';
  return `Make a new token with framehold token create on the server, then run framehold login${url === undefined ? '' : ` ${url}`}`;
}

function usualHint({ code, status, detail, requestId }: FrameholdError): string | undefined {
  if (code === 'frame_not_found' || code === 'frame_gone') return 'framehold ls lists the frames.';
  if (status === 403) return 'Ask the operator of the server for a token with that scope.';
  if (code === 'sql_invalid')
    return / parameters?, /.test(detail)
      ? 'Give each a value with -p NAME=VALUE, or -p 1=VALUE for $1.'
      : 'Correct the statement; framehold show NAME lists the columns of a frame.';
  if (status >= 500 && requestId !== undefined)
    return `The log of the server has more, under the request ${requestId}.`;
  return undefined;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
