import type { RegisteredNodes } from '../cluster/registered-nodes.ts';
import type { Clock } from '../model/clock.ts';
import type { PreparedStatements } from '../ports/prepared-statements.ts';
import type { RunningQueries } from '../ports/running-queries.ts';
import type { CatalogAccess } from './catalog-access.ts';

/** What a server has in common with others that use the same catalog. */
export interface Node {
  /** null: there are no others. */
  readonly id: string | null;
  readonly now: Clock;
  readonly queries: RunningQueries;
  readonly prepared: PreparedStatements;
  /** null: there are no others. */
  readonly shared: Shared | null;
  /** How many there are, this one included. */
  readonly count: () => number;
}

export interface Shared extends CatalogAccess {
  readonly nodes: RegisteredNodes;
}
