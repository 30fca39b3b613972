import type { Kind } from './kind.ts';

/** One setting. Its key is the key in the file. */
export interface Setting {
  readonly kind: Kind<unknown>;
  /** As a user would write it. Without one the value may be undefined. */
  readonly default?: string;
  readonly doc: string;
  /** Why the default is what it is. */
  readonly why?: string;
  /** A shorter name beside the one that the key gives, for the flag and the variables: `grpc-port`, FRAMEHOLD_GRPC_PORT. */
  readonly flag?: string;
  /** The key before it was renamed. It still works, also as a flag and as variables, and is reported at start. */
  readonly formerly?: string;
  /** Variables of other programs that are read, too, after our own. */
  readonly otherVariables?: readonly OtherVariable[];
  /** What is never shown: all of it, or the credentials in a URL. */
  readonly secret?: 'whole' | 'credentials';
}

export interface OtherVariable {
  readonly name: string;
  /** The value as we would write it; undefined if the variable means nothing to us. */
  readonly translate?: (value: string) => string | undefined;
}
