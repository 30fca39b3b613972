import type { FrameholdError } from '../../../client/src/index.ts';
import { safeText } from '../output/safe-text.ts';

/** For standard error, while the client connects again by itself. */
export function disconnectedText({ detail }: FrameholdError, retryInMs: number): string {
  return `${safeText(`${detail} Connecting again in ${Math.ceil(retryInMs / 1_000)} s.`)}\n`;
}
