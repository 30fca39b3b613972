import { openIdentity } from '../../src/model/caller.ts';
import type { Authenticator } from '../../src/ports/authenticator.ts';

/** Lets everybody in, as a server without credentials does. */
export const openAuthenticator: Authenticator = {
  isOpen: true,
  authenticate: (_credentials, visit) => ({ ...openIdentity, ...visit }),
  linked: async () => null,
};
