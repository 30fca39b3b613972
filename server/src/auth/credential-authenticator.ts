import { type Caller, type Identity, isOperator, openIdentity, type Visit } from '../model/caller.ts';
import { asFrameholdError, FrameholdError } from '../model/errors.ts';
import { Used } from '../model/used.ts';
import type { Authenticator, Credentials } from '../ports/authenticator.ts';
import type { FrameLink } from '../ports/links.ts';
import { secretOf } from './authorization-header.ts';
import type { CachedCredentials } from './cached-credentials.ts';
import type { JwtVerifier } from './jwt-verifier.ts';
import { type LinkSigner, linkPrefix } from './link-signer.ts';
import { noCredential, revokedLink, unknownCredential } from './refusals.ts';
import { parseToken } from './token.ts';

export interface CredentialAuthenticatorDependencies {
  readonly credentials: CachedCredentials;
  readonly links: LinkSigner;
  /** By the id of a link. Asked on every use, so that all processes with the same catalog know of a revocation at once. */
  readonly isLinkInForce: (id: string) => Promise<boolean>;
  /** null: no issuer is configured. */
  readonly jwt: JwtVerifier | null;
  /** Require a credential even if there is no token, no issuer and no authority for certificates. */
  readonly required: boolean;
  /** Counts one request of a tenant. Throws rate_limited. */
  readonly rate: { count(tenant: string): void };
  readonly audit: EntryAudit;
  readonly now: () => number;
}

/** What the audit log says of callers before anything knows what they want. The core builds its lines. */
interface EntryAudit {
  attemptNow<Value>(caller: Caller, action: 'enter', frame: null, work: () => Value): Value;
  unidentified(visit: Visit, reason: FrameholdError): void;
}

/** Credential → caller, for both listeners. */
export class CredentialAuthenticator implements Authenticator {
  readonly #dependencies: CredentialAuthenticatorDependencies;
  readonly #everybody: Identity = { ...openIdentity, isCurrent: () => this.isOpen };

  constructor(dependencies: CredentialAuthenticatorDependencies) {
    this.#dependencies = dependencies;
  }

  get isOpen(): boolean {
    return !this.#dependencies.required && !this.#dependencies.credentials.any;
  }

  authenticate(credentials: Credentials, visit: Visit): Caller | Promise<Caller> {
    const identity = this.#identified(credentials, visit);
    return identity instanceof Promise
      ? identity.then((verified) => this.#counted(verified, visit))
      : this.#counted(identity, visit);
  }

  /** Operators belong to no tenant, and must have access while tenants are limited. */
  #counted(identity: Identity, visit: Visit): Caller {
    const { rate, audit } = this.#dependencies;
    const caller = callerOf(identity, visit);
    if (!isOperator(caller)) audit.attemptNow(caller, 'enter', null, () => rate.count(caller.tenant));
    return caller;
  }

  #identified(credentials: Credentials, visit: Visit): Identity | Promise<Identity> {
    try {
      const identity = this.#isOpenTo(credentials)
        ? this.#identifyOpen(credentials)
        : this.#identify(credentials);
      if (!(identity instanceof Promise)) return identity;
      return identity.catch((error: unknown) => this.#refuse(error, visit));
    } catch (error) {
      return this.#refuse(error, visit);
    }
  }

  /** The credential may be the first one, created a moment ago: its request must not be treated as one to an open server. */
  #isOpenTo({ authorization, link, certificate }: Credentials): boolean {
    if (!this.isOpen) return false;
    const brings = authorization !== undefined || link !== undefined || certificate !== null;
    return !brings || !this.#dependencies.credentials.anyNow;
  }

  /** A link that has ended is of no use here either, as it would not be once the server has credentials. Other credentials are not looked at. */
  #identifyOpen({ link }: Credentials): Identity | Promise<Identity> {
    const read = link === undefined ? null : this.#dependencies.links.read(link);
    if (read === null) return this.#everybody;
    const holder = this.#holder(read);
    return holder instanceof Promise ? holder.then(() => this.#everybody) : this.#everybody;
  }

  async linked(link: string): Promise<FrameLink | null> {
    const { links, isLinkInForce, now } = this.#dependencies;
    const read = links.read(link);
    if (read === null || read.expiresAt <= now()) return null;
    return read.id === undefined || (await isLinkInForce(read.id)) ? read : null;
  }

  #byLink(text: string): Identity | Promise<Identity> {
    const link = this.#dependencies.links.read(text);
    if (link === null) throw unknownCredential();
    return this.#holder(link);
  }

  /** Throws unauthenticated if it has expired, link_revoked. */
  #holder(link: FrameLink): Identity | Promise<Identity> {
    const { links, isLinkInForce, now } = this.#dependencies;
    const holder = links.holder(link, now);
    if (link.id === undefined) return holder;
    return isLinkInForce(link.id).then((inForce) => {
      if (!inForce) throw revokedLink();
      return holder;
    });
  }

  /** The most specific credential counts: a link names one version, a header was sent on purpose, a certificate comes with every request. */
  #identify({ authorization, link, certificate }: Credentials): Identity | Promise<Identity> {
    const { credentials, now } = this.#dependencies;
    if (link !== undefined) return this.#byLink(link);
    if (authorization !== undefined) return this.#bySecret(secretOf(authorization));
    if (certificate === null) throw noCredential();
    const identity = credentials.byCertificate(certificate.names);
    const whileValid = (known: Identity): Identity => {
      const isCurrent = () => now() <= certificate.validUntil && known.isCurrent();
      return { ...known, isCurrent };
    };
    return identity instanceof Promise ? identity.then(whileValid) : whileValid(identity);
  }

  #bySecret(secret: string): Identity | Promise<Identity> {
    const { credentials, jwt } = this.#dependencies;
    const token = parseToken(secret);
    if (token !== null) return credentials.byToken(token);
    if (secret.startsWith(linkPrefix)) return this.#byLink(secret);
    if (jwt !== null && secret.split('.', 4).length === 3) return jwt.verify(secret);
    throw unknownCredential();
  }

  #refuse(thrown: unknown, visit: Visit): never {
    const error = thrown instanceof FrameholdError ? thrown : asFrameholdError(thrown);
    this.#dependencies.audit.unidentified(visit, error);
    throw error;
  }
}

function callerOf({ tenant, name, scopes, link, isCurrent }: Identity, { remote, requestId }: Visit): Caller {
  return { tenant, name, scopes, link, isCurrent, remote, requestId, used: new Used() };
}
