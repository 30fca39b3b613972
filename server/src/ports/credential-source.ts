import type { LimitChanges, SetLimits } from '../model/limits/tenant-limit-values.ts';
import type { ShownCredential } from './tokens.ts';

/** A credential that an operator has made, as it is kept. */
export interface Credential extends Omit<ShownCredential, 'certificate'> {
  readonly proof: Proof;
}

/** How a caller proves who it is: by a secret, or by a certificate for this name. */
export type Proof =
  | { readonly kind: 'token'; readonly secretHash: Uint8Array }
  | { readonly kind: 'certificate'; readonly subject: string };

/** Something that operators change, and a mark of the state that it is in. */
export interface Changed<Content> {
  readonly mark: number;
  readonly content: Content;
}

/** Answers at once if the source is on this machine: most requests then wait for nothing. */
type AtOnceOrLater<Answer> = Answer | Promise<Answer>;

/** Credentials and limits of tenants, as operators have made them. Every process of a server reads the same. */
export interface CredentialSource {
  /** On another machine: it answers later, or not at all. */
  readonly isDistant: boolean;
  /** All credentials; null if nothing has changed since this mark. */
  credentialsSince(mark: number | null): AtOnceOrLater<Changed<readonly Credential[]> | null>;
  /** The limits that were set for single tenants; null as above. */
  limitsSince(mark: number | null): AtOnceOrLater<Changed<ReadonlyMap<string, SetLimits>> | null>;
  /** Durable when it is done. */
  setLimits(tenant: string, changes: LimitChanges): AtOnceOrLater<void>;
}
