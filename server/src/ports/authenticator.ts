import type { Caller, Visit } from '../model/caller.ts';
import type { FrameLink } from './links.ts';

/** The credentials of a request. They are never logged. */
export interface Credentials {
  /** The header, as it came. */
  readonly authorization: string | undefined;
  /** A signed link, out of the URL. */
  readonly link: string | undefined;
  /** null if the connection has none that was verified. */
  readonly certificate: ClientCertificate | null;
}

/** A certificate signed by a configured authority: every name in it, and its expiry. */
export interface ClientCertificate {
  readonly names: readonly string[];
  readonly validUntil: number;
}

/** Identifies the caller. Both listeners do this first, before they look at anything else in a request. */
export interface Authenticator {
  /** No credentials are configured: anyone who can connect has full access. */
  readonly isOpen: boolean;
  /** Throws unauthenticated, and rate_limited if the tenant sends too many requests. A promise only if something must be looked up. */
  authenticate(credentials: Credentials, visit: Visit): Caller | Promise<Caller>;
  /** What a signed link opens; null if it is not in force. Also on an open server, where no other credential is looked at. */
  linked(link: string): Promise<FrameLink | null>;
}
