import type { ShownCredential } from '../frames/ports/tokens.ts';

/** A credential that an operator has made, as it is kept. */
export interface Credential extends Omit<ShownCredential, 'certificate'> {
  readonly proof: Proof;
}

/** How the caller shows that it is the one: by a secret, or by a certificate that stands for this name. */
export type Proof =
  | { readonly kind: 'token'; readonly secretHash: Uint8Array }
  | { readonly kind: 'certificate'; readonly subject: string };
