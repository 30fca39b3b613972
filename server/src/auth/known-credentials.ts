import { timingSafeEqual } from 'node:crypto';
import type { Identity } from '../frames/access/caller.ts';
import { isTenantScope, type Scope, withIncluded } from '../frames/access/scope.ts';
import { noTenant } from '../frames/tenants/tenant.ts';
import type { Credential } from './credential.ts';
import type { CredentialStore } from './credential-store.ts';
import { refusedCredential, unknownCredential } from './refusals.ts';
import { hashSecret, secretLength, type Token } from './token.ts';

/**
 * How soon a revocation counts. Asking the file whether it has changed takes some 4 µs, more than all the rest of a known token. What
 * is not known here is asked for at once, because whoever was just given a token uses it.
 */
const lookEveryMs = 50;

interface Known {
  readonly credential: Credential;
  readonly identity: Identity;
  /** The secret, once its hash was right: to compare it again is a tenth of hashing it again. In memory only, as the request itself. */
  shown: Buffer | null;
}

/** The store's credentials in memory, looked up again when another process has changed them. */
export class KnownCredentials {
  readonly #store: CredentialStore;
  readonly #now: () => number;
  #known: ReadonlyMap<string, Known> = new Map();
  #subjects: ReadonlyMap<string, readonly Known[]> = new Map();
  readonly #given = Buffer.alloc(secretLength);
  #changes = Number.NaN;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(store: CredentialStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** There are, or were, credentials: revoked ones count, and none ever goes. */
  get any(): boolean {
    if (this.#known.size === 0) this.#look();
    return this.#known.size > 0;
  }

  /** As `any`, of this very moment. */
  get anyNow(): boolean {
    this.#lookNow();
    return this.#known.size > 0;
  }

  byToken({ id, secret }: Token): Identity {
    this.#look();
    const known = this.#known.get(id) ?? this.#lookNow().#known.get(id);
    if (known?.credential.proof.kind !== 'token') throw unknownCredential();
    // A secret that is too short or too long is no token: all of them fill the buffer.
    this.#given.write(secret, 'latin1');
    if (known.shown === null || !timingSafeEqual(known.shown, this.#given)) {
      if (!timingSafeEqual(known.credential.proof.secretHash, hashSecret(secret))) throw unknownCredential();
      known.shown = Buffer.from(this.#given);
    }
    // Only who knows the secret is told more.
    this.#checkCurrent(known.credential);
    return known.identity;
  }

  /** The first of these names that stands for a credential in force. */
  byCertificate(names: readonly string[]): Identity {
    this.#look();
    if (!names.some((name) => this.#subjects.has(name))) this.#lookNow();
    let ended: Credential | null = null;
    for (const name of names) {
      for (const { credential, identity } of this.#subjects.get(name) ?? []) {
        if (this.#isCurrent(credential)) return identity;
        ended = credential;
      }
    }
    if (ended !== null) this.#checkCurrent(ended);
    throw unknownCredential();
  }

  /** Tenants that have, or had, a credential here. */
  get tenants(): Iterable<string> {
    this.#look();
    return new Set([...this.#known.values()].map(({ credential }) => credential.tenant));
  }

  #identityOf(credential: Credential): Identity {
    const { id, name } = credential;
    const isCurrent = () => {
      this.#look();
      const known = this.#known.get(id);
      return known !== undefined && this.#isCurrent(known.credential);
    };
    return { ...standingOf(credential), name, link: null, isCurrent };
  }

  #isCurrent({ expiresAt, revokedAt }: Credential): boolean {
    return revokedAt === null && (expiresAt === null || expiresAt > this.#now());
  }

  #checkCurrent(credential: Credential): void {
    if (this.#isCurrent(credential)) return;
    const { id, revokedAt, expiresAt } = credential;
    throw revokedAt === null
      ? refusedCredential(id, 'expired', expiresAt ?? 0)
      : refusedCredential(id, 'revoked', revokedAt);
  }

  #look(): void {
    if (performance.now() - this.#lookedAt >= lookEveryMs) this.#lookNow();
  }

  #lookNow(): this {
    this.#lookedAt = performance.now();
    const { changes } = this.#store;
    if (changes === this.#changes) return this;
    this.#changes = changes;
    const known = this.#store
      .all()
      .map((credential): Known => ({ credential, identity: this.#identityOf(credential), shown: null }));
    this.#known = new Map(known.map((each) => [each.credential.id, each]));
    this.#subjects = Map.groupBy(
      known.filter(({ credential }) => credential.proof.kind === 'certificate'),
      ({ credential: { proof } }) => (proof.kind === 'certificate' ? proof.subject : ''),
    );
    return this;
  }
}

/** Only a token can be an operator's, and then it is nothing else, whatever the file says beside it. */
function standingOf({ tenant, scopes, proof }: Credential): Pick<Identity, 'tenant' | 'scopes'> {
  const operator: Scope = 'operator';
  if (proof.kind === 'token' && scopes.includes(operator))
    return { tenant: noTenant, scopes: withIncluded([operator]) };
  return { tenant, scopes: withIncluded(scopes.filter(isTenantScope)) };
}
