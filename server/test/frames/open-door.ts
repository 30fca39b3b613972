import { openIdentity } from '../../src/frames/caller.ts';
import type { Door } from '../../src/frames/ports/door.ts';

/** Lets everybody in, as a server without credentials does. */
export const openDoor: Door = {
  isOpen: true,
  enter: (_credentials, visit) => ({ ...openIdentity, ...visit }),
};
