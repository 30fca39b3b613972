import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, isOperator } from '../model/caller.ts';
import type { Clock } from '../model/clock.ts';
import type { EngineName } from '../model/engine-name.ts';
import { FrameholdError } from '../model/errors.ts';
import type { Nodes } from '../ports/nodes.ts';
import type {
  FailedState,
  OpenQuery,
  QueryId,
  QueryState,
  QueryWatcher,
  RunningQueries,
  StatementOutcome,
} from '../ports/running-queries.ts';
import type { Database } from '../postgres/database.ts';
import { MemoryQueries } from './memory-queries.ts';
import { QueryRows } from './query-rows.ts';
import { failedState, noQuery, noQueryUnderWay, onlyOne, openState } from './query-states.ts';
import { QueryWriter, writtenWithinMs } from './query-writer.ts';

/** While a statement is so young that its node may not have written it. */
const askAgainMs = 150;

interface SharedQueriesDependencies {
  readonly database: Database;
  readonly nodes: Nodes;
  readonly now: Clock;
}

/** The statements of all nodes that share a database: this node's are in its memory, and those of others in a table. */
export class SharedQueries implements RunningQueries {
  readonly #local: MemoryQueries;
  readonly #rows: QueryRows;
  readonly #writer: QueryWriter;
  readonly #nodes: Nodes;
  readonly #now: Clock;

  static async open({ database, nodes, now }: SharedQueriesDependencies): Promise<SharedQueries> {
    const rows = new QueryRows(database, nodes.self.id);
    await rows.removeOwn();
    return new SharedQueries(rows, nodes, now);
  }

  private constructor(rows: QueryRows, nodes: Nodes, now: Clock) {
    this.#local = new MemoryQueries(now);
    this.#rows = rows;
    this.#writer = new QueryWriter(this.#local, rows, now);
    this.#nodes = nodes;
    this.#now = now;
  }

  occupancy(engine: EngineName): Record<QueryState['state'], number> {
    return this.#local.occupancy(engine);
  }

  begin(caller: Caller, sql: string, id: QueryId | null, engine?: EngineName): OpenQuery {
    return this.#local.begin(caller, sql, id, engine);
  }

  end(query: OpenQuery, outcome: StatementOutcome): void {
    this.#local.end(query, outcome);
  }

  /** Of this node. */
  watch(watcher: QueryWatcher): () => void {
    return this.#local.watch(watcher);
  }

  countElsewhere(): Promise<ReadonlyMap<string, number>> {
    return this.#rows.countOthers(this.#now());
  }

  async list(caller: Caller): Promise<readonly QueryState[]> {
    const others = await this.#others(caller, null, undefined);
    const all = [...(await this.#local.list(caller)), ...others];
    return all.sort((one, other) => one.startedAt - other.startedAt);
  }

  async state(caller: Caller, id: string, tenant: string | undefined): Promise<QueryState | FailedState> {
    const local = await foundOrNull(this.#local.state(caller, id, tenant));
    if (local !== null && local.state !== 'failed' && !isAmbiguous(caller, tenant)) return local;
    const found = await this.#sought(async () => {
      const others = await this.#others(caller, id, tenant);
      // One that runs counts more than one that has failed here with the same id.
      return (
        clearly<QueryState | FailedState>(local === null ? others : [...others, local]) ??
        this.#failed(caller, id, tenant)
      );
    });
    if (found === undefined) throw noQuery(id);
    return found;
  }

  async cancel(
    caller: Caller,
    id: string,
    tenant: string | undefined,
  ): Promise<{ readonly id: string; readonly tenant: string }> {
    if (isAmbiguous(caller, tenant)) return this.#cancelAnyones(caller, id);
    const owner = tenantOf(caller, tenant) ?? caller.tenant;
    if ((await foundOrNull(this.#local.cancel(caller, id, tenant))) !== null) return { id, tenant: owner };
    const isCancelled = await this.#sought(async () => (await this.#rows.cancel(owner, id)) || undefined);
    if (isCancelled === undefined) throw noQueryUnderWay(id);
    return { id, tenant: owner };
  }

  async close(): Promise<void> {
    await this.#writer.close();
  }

  /** An operator has not said whose it is: so that must be found first. */
  async #cancelAnyones(
    caller: Caller,
    id: string,
  ): Promise<{ readonly id: string; readonly tenant: string }> {
    const own = (await this.#local.list(caller)).filter((each) => each.id === id);
    const found = await this.#sought(async () =>
      clearly([...own, ...(await this.#others(caller, id, undefined))]),
    );
    if (found === undefined) throw noQueryUnderWay(id);
    return this.cancel(caller, id, found.tenant);
  }

  async #failed(caller: Caller, id: string, tenant: string | undefined): Promise<FailedState | undefined> {
    const failed = onlyOne(await this.#rows.failed(tenantOf(caller, tenant), id, this.#now()));
    return failed === undefined ? undefined : failedState(failed, isOperator(caller));
  }

  async #others(
    caller: Caller,
    id: string | null,
    tenant: string | undefined,
  ): Promise<readonly QueryState[]> {
    const now = this.#now();
    const rows = await this.#rows.others(tenantOf(caller, tenant), id, now);
    const sees = isOperator(caller);
    return rows.map((row) =>
      openState({ ...row, progress: () => row.progress, cancelled: never }, now, sees),
    );
  }

  /** Asks again for as long as another node may not have written what it has. */
  async #sought<Found>(ask: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const until = performance.now() + (this.#nodes.live().length > 1 ? writtenWithinMs : 0);
    for (;;) {
      const found = await ask();
      if (found !== undefined || performance.now() >= until) return found;
      await sleep(askAgainMs);
    }
  }
}

const never = new AbortController().signal;

/** null: all tenants. */
function tenantOf(caller: Caller, tenant: string | undefined): string | null {
  return isOperator(caller) ? (tenant ?? null) : caller.tenant;
}

function isAmbiguous(caller: Caller, tenant: string | undefined): boolean {
  return isOperator(caller) && tenant === undefined;
}

/** One of a tenant is enough, wherever it runs. Throws bad_request if several tenants have one. */
function clearly<State extends { readonly tenant: string }>(states: readonly State[]): State | undefined {
  const [first] = states;
  onlyOne([...new Set(states.map(({ tenant }) => tenant))]);
  return first;
}

async function foundOrNull<Found>(asked: Promise<Found>): Promise<Found | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof FrameholdError && error.kind === 'query_not_found') return null;
    throw error;
  }
}
