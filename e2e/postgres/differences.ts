/** A feature that a real PostgreSQL 15 does not have, so that a client cannot show it there. */
export const notInPostgres15: readonly string[] = ['direct-tls'];

export interface Difference {
  readonly client: string;
  readonly feature: string;
  readonly reason: string;
}

/** Where Framehold answers other than PostgreSQL 15 on purpose. Whatever else differs is a fault, and so is a difference of this list that is not there. */
export const differences: readonly Difference[] = [];
