/**
 * Which catalog it is, and how far it has come: the epoch grows about once a minute. The catalog and the store of its objects both have it, so
 * that a catalog that was restored to an earlier moment, or one that belongs to other objects, is recognised.
 */
export interface ClusterIdentity {
  readonly catalogId: string;
  readonly epoch: number;
}

/** A catalog that several processes use. */
export interface IdentifiedCatalog {
  identity(): Promise<ClusterIdentity>;
  /** Lets the epoch grow if it has not grown for `intervalMs`; returns the identity then. */
  advance(intervalMs: number, now: number): Promise<ClusterIdentity>;
  /** Whether a change that this process has made is not there any more: the catalog lost it in a failover, or was restored. */
  hasLost(): Promise<boolean>;
  /** What is missing now was told of. */
  acceptLoss(): void;
  /** The epoch is at least this: an operator has said that the catalog is right as it is. */
  raise(epoch: number, now: number): Promise<ClusterIdentity>;
}

/** A store that several processes use. */
export interface IdentifiedStore {
  /** null: it has none yet. `unavailable` if the store does not answer. */
  readIdentity(): Promise<ClusterIdentity | null>;
  writeIdentity(identity: ClusterIdentity): Promise<void>;
}
