import type { Scope } from '../model/scope.ts';

export interface NewCredential {
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  readonly name: string | null;
  /** null: it never expires. */
  readonly ttlMs: number | null;
  /** The name in a client certificate; null makes a token. */
  readonly certificate: string | null;
}

/** Times are milliseconds since 1970; null: never. */
export interface ShownCredential {
  readonly id: string;
  readonly tenant: string;
  /** Its name in logs and lists. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly certificate: string | null;
}

/** The credentials that an operator has made. Changes are durable when they resolve. */
export interface Tokens {
  /** The token is known only now: null for a certificate. */
  create(
    wanted: NewCredential,
  ): Promise<{ readonly credential: ShownCredential; readonly token: string | null }>;
  list(): Promise<readonly ShownCredential[]>;
  /** Takes the id, or the whole token; returns the id, or null if there is none. */
  revoke(id: string): Promise<string | null>;
  close(): Promise<void>;
}
