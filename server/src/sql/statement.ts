import { encodeSchema } from '../arrow/ipc/schema-encoder.ts';
import { describeColumn } from '../arrow/schema/column-types.ts';
import { withWideIntegers } from '../arrow/schema/wide-integers.ts';
import { type AccessGuard, ownName } from '../frames/access/access-guard.ts';
import type { Audit } from '../frames/access/audit.ts';
import type { Notes } from '../frames/notes/notes.ts';
import type { ObjectGuard } from '../frames/objects/object-guard.ts';
import type { Sharing } from '../frames/sharing/sharing.ts';
import type { Caller } from '../model/caller.ts';
import { defaultEngine } from '../model/engine-name.ts';
import type { TenantSlots } from '../model/limits/tenant-slots.ts';
import type { VersionRecord } from '../model/version.ts';
import type {
  BoundStatement,
  EngineStatement,
  StatementParameters,
  StatementShape,
} from '../ports/engine.ts';
import type { Observe } from '../ports/observation.ts';
import type { SqlDescription } from '../ports/prepared-statements.ts';
import type { RunningQueries } from '../ports/running-queries.ts';
import { bindStatement, openingOf } from './bind-statement.ts';
import { cachedMessages } from './cache/cached-rows.ts';
import type { AnswerSlot, CachedAnswer, CachedText, StatementCache } from './cache/statement-cache.ts';
import { plainSchema, schemaOf } from './changes/result-schema.ts';
import type { StatementChanges } from './changes/statement-changes.ts';
import { checkConditions } from './changes/statement-conditions.ts';
import { callerOn, type SqlEngine, type SqlEngines } from './engines.ts';
import { queryIdOf, RunningStatement } from './running-statement.ts';
import type { HistoryRecorder } from './saved/history.ts';
import type { SqlCached, SqlOutcome, SqlRows, Statement, StatementOptions } from './sql.ts';
import { checkAllowed, checkSources, type StatementChecks } from './statement-checks.ts';
import { admitted, type StatementResources } from './statement-resources.ts';
import { findFrame } from './tables/find-frame.ts';
import { openTables, type StatementTablesDependencies } from './tables/statement-tables.ts';
import type { WaitingRows } from './waiting-rows.ts';

export interface StatementDependencies extends Omit<StatementTablesDependencies, 'versions'> {
  readonly engines: SqlEngines;
  readonly queries: RunningQueries;
  readonly guard: ObjectGuard;
  readonly access: AccessGuard;
  readonly audit: Audit;
  /** Shared with the proxy. The limit of the server is the engine's own queue. */
  readonly slots: TenantSlots;
  readonly sharing: Pick<Sharing, 'sharedWithMe'>;
  readonly notes: Pick<Notes, 'change' | 'ofOwn'>;
  readonly history: HistoryRecorder;
  readonly kept: StatementCache;
  readonly observe: Observe;
}

export interface StatementContext extends StatementDependencies {
  readonly checks: StatementChecks;
  readonly changes: StatementChanges;
  readonly waiting: WaitingRows;
}

/** One statement of one caller: the order of everything that happens to it is in `describe` and `execute`. */
export class PreparedText implements Statement {
  readonly #context: StatementContext;
  readonly #caller: Caller;
  readonly #sql: string;
  readonly #options: StatementOptions;
  readonly #cached: CachedText;
  #running: RunningStatement | null = null;

  constructor(context: StatementContext, caller: Caller, sql: string, options: StatementOptions) {
    const { engine = defaultEngine } = options;
    this.#context = context;
    this.#caller = caller;
    this.#sql = sql;
    this.#options = options;
    this.#cached = context.kept.of({ tenant: caller.tenant, engine, sql });
  }

  async describe(signal: AbortSignal): Promise<SqlDescription> {
    const { checks, audit } = this.#context;
    checks.reader(this.#caller);
    const resources = admitted(this.#context, this.#caller);
    const unfollow = resources.follow(signal);
    let shape: StatementShape | null = null;
    try {
      const engine = this.#engine();
      shape = this.#cached.repeating;
      const known = shape === null ? null : await this.#knownDescription(shape, signal);
      if (known !== null) return known;
      const statement = await resources.begin(engine, this.#sql, this.#cached.shape);
      shape = statement.shape;
      this.#cached.learnShape(shape);
      checkSources(statement, engine);
      const description = await this.#described(engine, statement, resources, signal);
      unfollow();
      if (canStayBound(shape)) this.#cached.park(resources);
      return description;
    } catch (error) {
      audit.statementRefused(callerOn(this.#engineName, this.#caller), shape, error);
      throw error;
    } finally {
      unfollow();
      if (!resources.isResting) await resources.close();
    }
  }

  async execute(values: StatementParameters | null, signal: AbortSignal): Promise<SqlOutcome> {
    const { checks, queries, history } = this.#context;
    if (this.#running !== null) throw new Error('a statement is executed once');
    checks.reader(this.#caller);
    const resources = (values === null ? this.#cached.take() : null) ?? admitted(this.#context, this.#caller);
    try {
      const engine = this.#engine();
      const query = queries.begin(this.#caller, this.#sql, queryIdOf(this.#options), engine.name);
      const { inHistory = true } = this.#options;
      const dependencies = { ...this.#context, history: inHistory ? history : null };
      const caller = this.#caller;
      this.#running = new RunningStatement(dependencies, caller, this.#sql, engine, resources, query, signal);
      const outcome = await this.#run(this.#running, values);
      if (outcome.kind === 'changed') await this.#running.release('ok');
      return outcome;
    } catch (thrown) {
      const error = this.#running === null ? thrown : await this.#running.fail(thrown);
      await resources.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#running?.release();
  }

  async #run(running: RunningStatement, values: StatementParameters | null): Promise<SqlOutcome> {
    const { checks, access, changes } = this.#context;
    const options = { ...this.#options, sql: this.#sql, parameters: values };
    const known = await this.#knownAnswer(running, values);
    if (known !== null) return known;
    const statement = await this.#begun(running);
    const { shape } = statement;
    checkAllowed(statement, options);
    checkConditions(statement, options);
    checkSources(statement, running.engine);
    checks.access(this.#caller, shape);
    if (options.into !== undefined) {
      const { mode, name } = options.into;
      const action = mode === 'append' ? 'frame.append' : 'frame.put';
      access.check(this.#caller, action, ownName(this.#caller, name));
    }
    const isRead = shape.kind === 'query' || shape.kind === 'explain';
    if (options.into !== undefined || !isRead) return changes.change(running, statement, options);
    const bound =
      running.resources.bound ??
      (await bindStatement(this.#context, checks, running, statement, {
        insertInto: null,
        parameters: values,
        runs: true,
      }));
    return this.#rows(running, shape, bound, values);
  }

  /** The outcome, if it is cached: with the checks of a fresh run, in the same order. */
  async #knownAnswer(
    running: RunningStatement,
    values: StatementParameters | null,
  ): Promise<SqlOutcome | null> {
    const { checks } = this.#context;
    const { into, conditions, form } = this.#options;
    const shape = this.#cached.repeating;
    if (shape === null || into !== undefined || conditions !== undefined) return null;
    checks.access(this.#caller, shape);
    if (shape.repeats !== 'rows') return null;
    const records = await this.#versions(running.caller, shape, running.signal);
    const answer = this.#cached.answer(records, values, form);
    if (answer === null) return null;
    checks.current(this.#caller, shape);
    running.answered(records);
    return this.#again(running, answer, values);
  }

  #again(
    running: RunningStatement,
    answer: CachedAnswer,
    values: StatementParameters | null,
  ): SqlRows | SqlCached {
    const { id, sources, timings, records } = running;
    if (answer.kind === 'body') {
      running.wrote(answer.rows);
      const release = () => running.release('ok');
      return { kind: 'kept', id, body: answer.body, sources, timings, release };
    }
    const { form } = this.#options;
    const messages = cachedMessages(answer, running.signal);
    const { schemaMessage, markedSchemaMessage, columns } = answer;
    return {
      ...running.outcome({ schemaMessage, markedSchemaMessage, columns }, messages, this.#context.waiting),
      ...keeping(running, form === undefined ? null : this.#cached.slot(records, values, form)),
    };
  }

  /** The statement that was bound to be described a moment ago, if it reads what it would read now; else a new one. */
  async #begun(running: RunningStatement): Promise<EngineStatement> {
    const { checks } = this.#context;
    const ready = running.adopt();
    if (ready !== null) {
      checks.access(this.#caller, ready.shape);
      const records = await this.#versions(running.caller, ready.shape, running.signal);
      checks.current(this.#caller, ready.shape);
      if (this.#cached.areSame(records, running.records)) return ready;
    }
    if (ready !== null) await running.reset();
    const statement = await running.begin({ known: this.#cached.shape });
    this.#cached.learnShape(statement.shape);
    return statement;
  }

  #rows(
    running: RunningStatement,
    shape: StatementShape,
    bound: BoundStatement,
    values: StatementParameters | null,
  ): SqlRows {
    const { records } = running;
    const { form } = this.#options;
    const schemaMessage = plainSchema(bound.schemaMessage);
    const described = {
      schemaMessage,
      markedSchemaMessage: bound.schemaMessage,
      columns: withWideIntegers(schemaOf(bound.schemaMessage)).fields.map(describeColumn),
    };
    // Without values, as it would be described.
    if (shape.parameterCount === 0) {
      const { parameterSchemaMessage } = bound;
      this.#cached.learnDescription(shape, records, { isQuery: true, schemaMessage, parameterSchemaMessage });
    }
    const repeats = shape.repeats === 'rows';
    if (repeats) this.#cached.missed();
    const slot = repeats ? this.#cached.slot(records, values, form) : null;
    const made = running.resources.run(values);
    const isCachedHere = slot !== null && form === undefined;
    return {
      ...running.outcome(
        described,
        isCachedHere ? slot.cacheRows(described, made) : made,
        this.#context.waiting,
      ),
      ...keeping(running, isCachedHere ? null : slot),
    };
  }

  async #knownDescription(shape: StatementShape, signal: AbortSignal): Promise<SqlDescription | null> {
    const { checks } = this.#context;
    checks.access(this.#caller, shape);
    const records = await this.#versions(this.#caller, shape, signal);
    const known = this.#cached.description(records);
    if (known !== null) checks.current(this.#caller, shape);
    return known;
  }

  async #described(
    engine: SqlEngine,
    statement: EngineStatement,
    resources: StatementResources,
    signal: AbortSignal,
  ): Promise<SqlDescription> {
    const { checks, changes } = this.#context;
    const { shape } = statement;
    checks.access(this.#caller, shape);
    const isQuery = shape.kind === 'query' || shape.kind === 'explain';
    if (shape.kind === 'drop' || shape.kind === 'comment')
      return { isQuery, schemaMessage: null, parameterSchemaMessage: noColumns };
    const target =
      shape.kind === 'insert' ? await changes.insertTarget(this.#caller, statement, signal) : null;
    const opening = openingOf(this.#context, engine);
    resources.reads(await openTables(opening, this.#caller, shape, false, signal));
    checks.current(this.#caller, shape);
    const bound = await resources.bind({ insertInto: target?.schema.message ?? null });
    const description = {
      isQuery,
      schemaMessage: isQuery ? plainSchema(bound.schemaMessage) : null,
      parameterSchemaMessage: bound.parameterSchemaMessage,
    };
    this.#cached.learnDescription(shape, resources.records, description);
    return description;
  }

  /** What the names in it mean now. One after another, so that the first in the text that cannot be read is the one that is named. */
  async #versions(
    caller: Caller,
    { tables }: StatementShape,
    signal: AbortSignal,
  ): Promise<readonly VersionRecord[]> {
    const records: VersionRecord[] = [];
    for (const name of tables) records.push(await findFrame(this.#context.frames, caller, name, signal));
    return records;
  }

  /** Of a text that is not too long. */
  #engine(): SqlEngine {
    const { checks, engines } = this.#context;
    checks.text(this.#sql);
    return engines.of(this.#engineName, this.#caller.tenant);
  }

  get #engineName() {
    return this.#options.engine ?? defaultEngine;
  }
}

/** For a listener that names the form of its answer. */
function keeping(running: RunningStatement, slot: AnswerSlot | null): Pick<SqlRows, 'keep'> {
  if (slot === null) return {};
  const { bytesMax, cacheBody } = slot;
  return { keep: { bytesMax, whole: (body) => cacheBody(body, running.rowCount) } };
}

/** What it reads are versions, and what it gives does not depend on values that come later. */
function canStayBound({ kind, repeats, parameterCount }: StatementShape): boolean {
  return kind === 'query' && repeats !== undefined && parameterCount === 0;
}

const noColumns = encodeSchema({ fields: [], metadata: [] });
