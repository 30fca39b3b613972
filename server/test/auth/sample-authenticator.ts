import { join } from 'node:path';
import { CachedCredentials } from '../../src/auth/cached-credentials.ts';
import { CredentialAuthenticator } from '../../src/auth/credential-authenticator.ts';
import { CredentialStore } from '../../src/auth/credential-store.ts';
import type { JwtVerifier } from '../../src/auth/jwt-verifier.ts';
import { linkKeyFile } from '../../src/auth/link-key-file.ts';
import { LinkSigner } from '../../src/auth/link-signer.ts';
import { Audit } from '../../src/frames/access/audit.ts';
import { RateLimit } from '../../src/frames/limits/rate-limit.ts';
import type { Observation } from '../../src/ports/observation.ts';
import type { NewCredential } from '../../src/ports/tokens.ts';
import { LocalCredentials } from '../support/local-credentials.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** An authenticator over a data directory, and the command line's view of the same directory. */
export class SampleAuthenticator implements Disposable {
  readonly folder = temporaryFolder('authenticator');
  readonly observations: Observation[] = [];
  readonly tokens: LocalCredentials;
  readonly links: LinkSigner;
  readonly authenticator: CredentialAuthenticator;
  readonly #store: CredentialStore;
  nowMs = Date.now();
  /** Links that the catalog would call revoked. */
  readonly revoked = new Set<string>();
  rate: ReturnType<ConstructorParameters<typeof RateLimit>[0]> = {
    requestsPerSecond: null,
    requestsBurst: 1,
  };

  constructor({ jwt = null, required = false }: { jwt?: JwtVerifier | null; required?: boolean } = {}) {
    this.tokens = new LocalCredentials(this.folder);
    this.#store = CredentialStore.open(join(this.folder, 'credentials.sqlite'));
    this.links = new LinkSigner(linkKeyFile(join(this.folder, 'links.key')));
    const now = () => this.nowMs;
    this.authenticator = new CredentialAuthenticator({
      credentials: new CachedCredentials(this.#store, now),
      links: this.links,
      isLinkInForce: async (id) => !this.revoked.has(id),
      jwt,
      required,
      rate: new RateLimit(() => this.rate, now),
      audit: new Audit((observation) => void this.observations.push(observation)),
      now,
    });
  }

  create(wanted: Partial<NewCredential> = {}): { readonly id: string; readonly token: string } {
    const { id, token } = this.tokens.create({
      tenant: 'a',
      scopes: ['read'],
      name: null,
      ttlMs: 60_000,
      certificate: null,
      ...wanted,
    });
    return { id, token: token ?? '' };
  }

  [Symbol.dispose](): void {
    this.tokens[Symbol.dispose]();
    this.#store.close();
  }
}
