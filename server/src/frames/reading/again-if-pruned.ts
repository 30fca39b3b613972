import { isAbsent } from '../../model/errors.ts';

/** A version that was found is pruned before it is opened only while others append all the time. */
const openTriesMax = 3;

/** What was found by a name, or by rows that newer versions have as well, may be pruned before it is opened: then a newer version is found. */
export async function againIfPruned<Found, Opened>(
  find: () => Promise<Found>,
  open: (found: Found) => Promise<Opened>,
): Promise<Opened> {
  for (let tries = 1; ; tries++) {
    // What is not found at all is not looked for again.
    const found = await find();
    try {
      return await open(found);
    } catch (error) {
      if (!isAbsent(error) || tries >= openTriesMax) throw error;
    }
  }
}
