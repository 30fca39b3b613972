import { join } from 'node:path';
import { CredentialStore } from '../../src/auth/credential-store.ts';
import { mintCredential } from '../../src/auth/new-credential.ts';
import { idOf } from '../../src/auth/token.ts';
import type { NewCredential } from '../../src/ports/tokens.ts';

/** What `framehold token` does on a data directory, at once. */
export class LocalCredentials implements Disposable {
  readonly #store: CredentialStore;

  constructor(dataDirectory: string) {
    this.#store = CredentialStore.open(join(dataDirectory, 'credentials.sqlite'));
  }

  create(wanted: NewCredential): { readonly id: string; readonly token: string | null } {
    const { credential, token } = mintCredential(wanted, Date.now());
    this.#store.add(credential);
    return { id: credential.id, token };
  }

  /** Takes the id or the token; null if there is none. */
  revoke(text: string): string | null {
    const id = idOf(text);
    return id !== null && this.#store.revoke(id, Date.now()) ? id : null;
  }

  [Symbol.dispose](): void {
    this.#store.close();
  }
}
