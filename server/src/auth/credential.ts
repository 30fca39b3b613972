import type { ShownCredential } from '../frames/ports/tokens.ts';

/** A credential that an operator has made, as it is kept. */
export interface Credential extends Omit<ShownCredential, 'certificate'> {
  readonly proof: Proof;
}

/** How the caller proves its identity: by a secret, or by a certificate with this name. */
export type Proof =
  | { readonly kind: 'token'; readonly secretHash: Uint8Array }
  | { readonly kind: 'certificate'; readonly subject: string };
