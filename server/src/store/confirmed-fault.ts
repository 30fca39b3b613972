import { FrameholdError } from '../model/errors.ts';
import type { ObjectFault } from '../ports/object-store.ts';

/** What is wrong with an object as it was read. */
export type ReadFault = Pick<ObjectFault, 'kind' | 'detail'>;

/** Reads of an object that differs, the first included: a fault on the way seldom meets the same object three times. */
const readsMax = 3;

/**
 * Reads an object, and twice more if it differs. Bytes that are stored wrongly are wrong in the same way each time; those that are changed on their way are not, and say
 * nothing about the object. null if one of the reads finds it sound.
 */
export async function confirmedFault(
  read: (isRepeated: boolean) => Promise<ReadFault | null>,
): Promise<ReadFault | null> {
  const first = await read(false);
  if (first === null) return null;
  let isSteady = true;
  for (let reads = 2; reads <= readsMax; reads++) {
    const again = await read(true);
    if (again === null) return null;
    isSteady &&= again.kind === first.kind && again.detail === first.detail;
  }
  if (isSteady) return first;
  throw new FrameholdError(
    'unavailable',
    `Stored bytes were read ${readsMax} times and were wrong in another way each time: they are damaged on their way.`,
    {
      hint: 'Try again in a moment. If it stays so, check the network between this server and its object store, or the disk.',
      cause: new Error(first.detail),
    },
  );
}
