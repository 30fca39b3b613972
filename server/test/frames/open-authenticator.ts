import { openIdentity } from '../../src/frames/access/caller.ts';
import type { Authenticator } from '../../src/frames/ports/authenticator.ts';

/** Lets everybody in, as a server without credentials does. */
export const openAuthenticator: Authenticator = {
  isOpen: true,
  authenticate: (_credentials, visit) => ({ ...openIdentity, ...visit }),
  linked: async () => null,
};
