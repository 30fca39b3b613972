import { type Caller, isOperator } from '../model/caller.ts';
import type { Clock } from '../model/clock.ts';
import { defaultEngine, type EngineName } from '../model/engine-name.ts';
import { FrameholdError } from '../model/errors.ts';
import { randomId } from '../model/handle.ts';
import type {
  FailedState,
  OpenQuery,
  QueryId,
  QueryState,
  QueryWatcher,
  RunningQueries,
  StatementOutcome,
} from '../ports/running-queries.ts';
import { FailedQueries, keyOf } from './failed-queries.ts';
import { failedState, noQuery, noQueryUnderWay, onlyOne, openState } from './query-states.ts';

/** More than the engine lets wait and run; what is above it belongs to callers that do not release what they got. */
const queriesMax = 10_000;
/** Of a text that is shown in lists: enough to tell statements apart. */
const shownTextMax = 10_000;
const idPattern = /^[\x21-\x7e]{1,128}$/;

class MemoryQuery implements OpenQuery {
  readonly id: string;
  readonly tenant: string;
  readonly sql: string;
  readonly engine: EngineName;
  readonly startedAt: number;
  state: QueryState['state'] = 'waiting';
  rows = 0;
  progress: OpenQuery['progress'] = () => null;
  readonly #cancel = new AbortController();

  constructor(id: string, tenant: string, sql: string, engine: EngineName, startedAt: number) {
    this.id = id;
    this.tenant = tenant;
    this.sql = sql;
    this.engine = engine;
    this.startedAt = startedAt;
  }

  get cancelled(): AbortSignal {
    return this.#cancel.signal;
  }

  cancel(): void {
    this.#cancel.abort(
      new FrameholdError('query_cancelled', `The query ${this.id} was cancelled while it was under way.`),
    );
  }
}

/** The statements of one process, in its memory. */
export class MemoryQueries implements RunningQueries {
  readonly #queries = new Map<string, MemoryQuery>();
  readonly #failed: FailedQueries;
  readonly #watchers = new Set<QueryWatcher>();
  readonly #now: Clock;

  constructor(now: Clock) {
    this.#now = now;
    this.#failed = new FailedQueries(now);
  }

  occupancy(engine: EngineName): Record<QueryState['state'], number> {
    const count = { running: 0, waiting: 0 };
    for (const query of this.#queries.values()) if (query.engine === engine) count[query.state] += 1;
    return count;
  }

  begin(caller: Caller, sql: string, chosen: QueryId | null, engine: EngineName = defaultEngine): OpenQuery {
    if (chosen !== null && !idPattern.test(chosen.text))
      throw new FrameholdError('bad_request', 'The id of the query is not usable.', {
        hint: 'Give 1 to 128 printable ASCII characters without spaces.',
      });
    if (this.#queries.size >= queriesMax)
      throw new FrameholdError(
        'overloaded',
        `${queriesMax} queries are open, which is as many as this server keeps.`,
        {
          hint: 'Try again when some have ended.',
        },
      );
    const id = this.#freeId(caller, chosen);
    const key = keyOf(caller.tenant, id);
    const query = new MemoryQuery(id, caller.tenant, sql.slice(0, shownTextMax), engine, this.#now());
    this.#queries.set(key, query);
    for (const watcher of this.#watchers) watcher.began(query);
    return query;
  }

  end(query: OpenQuery, outcome: StatementOutcome): void {
    this.#queries.delete(keyOf(query.tenant, query.id));
    if (typeof outcome !== 'string' && outcome.kind !== 'cancelled') this.#failed.add(query, outcome);
    for (const watcher of this.#watchers) watcher.ended(query, outcome);
  }

  watch(watcher: QueryWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  async countElsewhere(): Promise<ReadonlyMap<string, number>> {
    return new Map();
  }

  async list(caller: Caller): Promise<readonly QueryState[]> {
    // A Map keeps the order in which they began.
    const sees = isOperator(caller);
    return [...this.#queries.values()]
      .filter((query) => sees || query.tenant === caller.tenant)
      .map((query) => openState(query, this.#now(), sees));
  }

  async state(caller: Caller, id: string, tenant: string | undefined): Promise<QueryState | FailedState> {
    const sees = isOperator(caller);
    const open = this.#find(caller, id, tenant);
    if (open !== undefined) return openState(open, this.#now(), sees);
    const failed = onlyOne(this.#failed.find(sees ? (tenant ?? null) : caller.tenant, id));
    if (failed !== undefined) return failedState(failed, sees);
    throw noQuery(id);
  }

  async cancel(caller: Caller, id: string, tenant: string | undefined): Promise<OpenQuery> {
    const query = this.#find(caller, id, tenant);
    if (query === undefined) throw noQueryUnderWay(id);
    query.cancel();
    return query;
  }

  /** For another process that was asked to. Nothing happens if it has ended. */
  cancelOf(tenant: string, id: string): void {
    this.#queries.get(keyOf(tenant, id))?.cancel();
  }

  #freeId(caller: Caller, chosen: QueryId | null): string {
    if (chosen !== null && !this.#queries.has(keyOf(caller.tenant, chosen.text))) return chosen.text;
    if (chosen === null || chosen.isOptional) return `q_${randomId()}`;
    throw new FrameholdError(
      'bad_request',
      `A query with the id ${JSON.stringify(chosen.text)} is under way.`,
      { hint: 'Give each query an id of its own, or none.' },
    );
  }

  #find(caller: Caller, id: string, tenant: string | undefined): MemoryQuery | undefined {
    if (!isOperator(caller)) return this.#queries.get(keyOf(caller.tenant, id));
    if (tenant !== undefined) return this.#queries.get(keyOf(tenant, id));
    return onlyOne([...this.#queries.values()].filter((query) => query.id === id));
  }
}
