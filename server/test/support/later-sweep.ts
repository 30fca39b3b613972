import { auditLines } from './audit-lines.ts';
import { send } from './frame-client.ts';
import type { Framehold } from './framehold-process.ts';
import { eventually } from './patience.ts';

export interface Sweeper {
  readonly framehold: Framehold;
  /** Where it is asked, with a credential if it wants one. */
  readonly url: string;
}

/**
 * Resolves when a server has swept and collected once more, from beginning to end: what its background must not do would be done by then. Of
 * several nodes another one may sweep first.
 */
export async function sweptAgain(sweeper: Sweeper, others: readonly Sweeper[] = []): Promise<void> {
  const hasEnded = (name: string, { framehold }: Sweeper) =>
    auditLines(framehold.lines).some(({ action, frame }) => action === 'frame.expired' && frame === name);
  // A frame that comes after the end of another is ended by a later round, and that begins when the one before has collected.
  for (let rounds = 0; rounds < 2; ) {
    const name = `swept-${Date.now()}`;
    await send(sweeper.url, `/v1/frames/${name}?ttl=1s`, 'n\n1\n', { type: 'text/csv', status: 201 });
    await eventually('a sweep', () => [sweeper, ...others].some((each) => hasEnded(name, each)));
    if (hasEnded(name, sweeper)) rounds += 1;
  }
}
