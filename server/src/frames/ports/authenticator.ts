import type { Caller, Visit } from '../access/caller.ts';

/** What a caller shows. Nothing of it is ever logged. */
export interface Credentials {
  /** The header, as it came. */
  readonly authorization: string | undefined;
  /** A signed link, out of the URL. */
  readonly link: string | undefined;
  /** null where the connection has none that was verified. */
  readonly certificate: ClientCertificate | null;
}

/** Of a certificate that an authority of ours has signed: every name it stands for, and until when. */
export interface ClientCertificate {
  readonly names: readonly string[];
  readonly validUntil: number;
}

/** Who is calling? Both listeners ask this first, before they look at anything else of a request. */
export interface Authenticator {
  /** No credentials are configured: anyone who can connect has full access. */
  readonly isOpen: boolean;
  /** Throws unauthenticated, and rate_limited if the tenant asks too often. A promise only if a signature must be checked. */
  authenticate(credentials: Credentials, visit: Visit): Caller | Promise<Caller>;
}
