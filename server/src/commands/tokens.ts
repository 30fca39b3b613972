import { mintCredential, shownCredential } from '../auth/new-credential.ts';
import { idOf } from '../auth/token.ts';
import type { Settings } from '../config/settings.ts';
import type { Tokens } from '../ports/tokens.ts';
import { openCredentialAdmin } from './credential-admin.ts';

/** The credentials of a data directory or of a shared catalog, for the command line. Running servers notice changes. */
export async function composeTokens(settings: Settings): Promise<Tokens> {
  const book = await openCredentialAdmin(settings);
  return {
    create: async (wanted) => {
      const { credential, token } = mintCredential(wanted, book.now());
      await book.add(credential);
      return { credential: shownCredential(credential), token };
    },
    list: async () => (await book.all()).map(shownCredential),
    revoke: async (text) => {
      const id = idOf(text);
      return id !== null && (await book.revoke(id, book.now())) ? id : null;
    },
    close: async () => book.close(),
  };
}
