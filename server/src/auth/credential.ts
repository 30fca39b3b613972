import type { Scope } from '../frames/scope.ts';

/** A credential that an operator has made, as it is kept. */
export interface Credential {
  readonly id: string;
  readonly tenant: string;
  /** What logs and lists call it. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  /** null: never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly proof: Proof;
}

/** How the caller shows that it is the one: by a secret, or by a certificate that stands for this name. */
export type Proof =
  | { readonly kind: 'token'; readonly secretHash: Uint8Array }
  | { readonly kind: 'certificate'; readonly subject: string };
