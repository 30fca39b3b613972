import { timingSafeEqual } from 'node:crypto';
import type { Identity } from '../model/caller.ts';
import type { Clock } from '../model/clock.ts';
import { isTenantScope, type Scope, withIncluded } from '../model/scope.ts';
import { noTenant } from '../model/tenant.ts';
import type { Credential, CredentialSource } from '../ports/credential-source.ts';
import { paceOf } from './access-pace.ts';
import { Followed } from './followed.ts';
import { refusedCredential, unknownCredential } from './refusals.ts';
import { hashSecret, secretLength, type Token } from './token.ts';

interface Known {
  readonly credential: Credential;
  readonly identity: Identity;
  /** The secret, once its hash was right: to compare it again is a tenth of hashing it again. In memory only, as the request itself. */
  shown: Buffer | null;
}

/** The store's credentials in memory, looked up again when another process has changed them. */
export class CachedCredentials {
  readonly #followed: Followed<readonly Credential[]>;
  readonly #now: Clock;
  #known: ReadonlyMap<string, Known> = new Map();
  #subjects: ReadonlyMap<string, readonly Known[]> = new Map();
  readonly #given = Buffer.alloc(secretLength);

  constructor(source: CredentialSource, now: Clock) {
    this.#now = now;
    this.#followed = new Followed(
      (mark) => source.credentialsSince(mark),
      (credentials) => this.#take(credentials),
      paceOf(source),
    );
  }

  /** There are, or were, credentials: revoked ones count, and none ever goes. */
  get any(): boolean {
    if (this.#known.size === 0) this.#followed.look();
    return this.#known.size > 0;
  }

  /** As `any`, of this very moment if the source is on this machine. A server with a source elsewhere is never open. */
  get anyNow(): boolean {
    void this.#followed.lookNow();
    return this.#known.size > 0;
  }

  byToken(token: Token): Identity | Promise<Identity> {
    return this.#found(
      () => this.#known.has(token.id),
      () => this.#matching(token),
    );
  }

  /** The first of these names that has a credential in force. */
  byCertificate(names: readonly string[]): Identity | Promise<Identity> {
    return this.#found(
      () => names.some((name) => this.#subjects.has(name)),
      () => this.#named(names),
    );
  }

  close(): void {
    this.#followed.close();
  }

  /** What is not known may have been made a moment ago: it is looked for anew, once. */
  #found(isKnown: () => boolean, answer: () => Identity): Identity | Promise<Identity> {
    const asked = performance.now();
    const found = () => {
      if (isKnown()) return answer();
      const looked = this.#followed.lookAnew(asked);
      return looked instanceof Promise ? looked.then(answer) : answer();
    };
    const fresh = this.#followed.fresh();
    return fresh instanceof Promise ? fresh.then(found) : found();
  }

  #matching({ id, secret }: Token): Identity {
    const known = this.#known.get(id);
    if (known?.credential.proof.kind !== 'token') throw unknownCredential();
    // A secret that is too short or too long is no token: all of them fill the buffer.
    this.#given.write(secret, 'latin1');
    if (known.shown === null || !timingSafeEqual(known.shown, this.#given)) {
      if (!timingSafeEqual(known.credential.proof.secretHash, hashSecret(secret))) throw unknownCredential();
      known.shown = Buffer.from(this.#given);
    }
    // More is said only to callers that know the secret.
    this.#checkCurrent(known.credential);
    return known.identity;
  }

  #named(names: readonly string[]): Identity {
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
    this.#followed.look();
    return new Set([...this.#known.values()].map(({ credential }) => credential.tenant));
  }

  #identityOf(credential: Credential): Identity {
    const { id, name } = credential;
    const isCurrent = () => {
      this.#followed.look();
      const known = this.#known.get(id);
      return known !== undefined && this.#isCurrent(known.credential) && !this.#followed.isTooOld;
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

  #take(credentials: readonly Credential[]): void {
    const known = credentials.map(
      (credential): Known => ({ credential, identity: this.#identityOf(credential), shown: null }),
    );
    this.#known = new Map(known.map((each) => [each.credential.id, each]));
    this.#subjects = Map.groupBy(
      known.filter(({ credential }) => credential.proof.kind === 'certificate'),
      ({ credential: { proof } }) => (proof.kind === 'certificate' ? proof.subject : ''),
    );
  }
}

/** Only a token can be an operator's, and then it is nothing else, whatever the file says beside it. */
function standingOf({ tenant, scopes, proof }: Credential): Pick<Identity, 'tenant' | 'scopes'> {
  const operator: Scope = 'operator';
  if (proof.kind === 'token' && scopes.includes(operator))
    return { tenant: noTenant, scopes: withIncluded([operator]) };
  return { tenant, scopes: withIncluded(scopes.filter(isTenantScope)) };
}
