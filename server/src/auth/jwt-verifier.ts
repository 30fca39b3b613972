import { hash } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { LruCache } from '../base/lru-cache.ts';
import type { Identity } from '../model/caller.ts';
import { FrameholdError } from '../model/errors.ts';
import { isTenantScope, withIncluded } from '../model/scope.ts';
import { isTenant, tenantRule } from '../model/tenant.ts';
import { unknownCredential } from './refusals.ts';

export interface JwtRules {
  readonly issuer: string;
  readonly audience: string;
  readonly tenantClaim: string;
  readonly scopeClaim: string;
  /** What comes before the names of our scopes in the claim, if an issuer serves several programs. */
  readonly scopePrefix: string;
  readonly keys: JWTVerifyGetKey;
}

/** Signatures that a public key verifies. With a shared secret (HS256) every verifier could also sign. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Between the clocks of two machines. */
const clockToleranceSeconds = 30;
/** Checking a signature takes longer than the rest of a request. Short, so that a withdrawn key is noticed soon. */
const verifiedKeptMs = 10_000;
/** Active callers, each with some 300 bytes. */
const verifiedMax = 10_000;
/** Longer subjects are cut in the name of the caller. */
const nameLengthMax = 128;

interface Verified {
  readonly identity: Identity;
  readonly until: number;
}

/** JSON Web Tokens of one issuer: whom they identify. */
export class JwtVerifier {
  readonly #rules: JwtRules;
  readonly #now: () => number;
  /** By the hash of the token: tokens themselves are not kept. */
  readonly #verified = new LruCache<Verified>({ entriesMax: verifiedMax });

  constructor(rules: JwtRules, now: () => number) {
    this.#rules = rules;
    this.#now = now;
  }

  /** Throws unauthenticated, or issuer_unreachable. */
  verify(token: string): Identity | Promise<Identity> {
    const key = hash('sha256', token, 'base64url');
    const known = this.#verified.peek(key);
    if (known !== undefined && known.until > this.#now()) return known.identity;
    return this.#check(token, key);
  }

  async #check(token: string, key: string): Promise<Identity> {
    const { issuer, audience, tenantClaim, keys } = this.#rules;
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(this.#now()),
        requiredClaims: ['exp', ...(tenantClaim.includes('.') ? [] : [tenantClaim])],
      }));
    } catch (error) {
      throw refusal(error);
    }
    const expiresAt = (payload.exp ?? 0) * 1_000;
    const identity = this.#identityOf(payload, expiresAt);
    this.#verified.set(key, { identity, until: Math.min(expiresAt, this.#now() + verifiedKeptMs) });
    return identity;
  }

  #identityOf(payload: JWTPayload, expiresAt: number): Identity {
    const { tenantClaim, scopeClaim, scopePrefix } = this.#rules;
    const tenant = claimOf(payload, tenantClaim);
    if (typeof tenant !== 'string' || !isTenant(tenant))
      throw new FrameholdError(
        'unauthenticated',
        `The claim ${JSON.stringify(tenantClaim)} of the token names no tenant.`,
        {
          hint: tenantRule,
        },
      );
    const given = wordsOf(claimOf(payload, scopeClaim))
      .filter((word) => word.startsWith(scopePrefix))
      .map((word) => word.slice(scopePrefix.length))
      .filter(isTenantScope);
    const name = `jwt:${payload.sub ?? 'unnamed'}`.slice(0, nameLengthMax);
    const isCurrent = () => expiresAt + clockToleranceSeconds * 1_000 > this.#now();
    return { tenant, name, scopes: withIncluded(given), link: null, isCurrent };
  }
}

/** By its name, or along a path: `realm_access.roles`. Names may have dots, too: those are tried first. */
function claimOf(payload: JWTPayload, claim: string): unknown {
  if (Object.hasOwn(payload, claim)) return payload[claim];
  let value: unknown = payload;
  for (const step of claim.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** Issuers write scopes as words in one text, or as a list. */
function wordsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
}

function refusal(error: unknown): FrameholdError {
  if (error instanceof errors.JWTExpired)
    return new FrameholdError('unauthenticated', 'The token has expired.', {
      hint: 'Ask the issuer for a new one.',
      cause: error,
    });
  // Every fault of the token has its own class; the rest is about reaching the issuer.
  const isTheToken =
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) &&
    error.code !== 'ERR_JOSE_GENERIC';
  if (isTheToken) return unknownCredential(error);
  return new FrameholdError('issuer_unreachable', 'The keys of the issuer of tokens cannot be fetched.', {
    hint: 'Retry. The log has the cause.',
    cause: error,
  });
}
