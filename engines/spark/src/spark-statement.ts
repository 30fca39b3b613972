import { isDeepStrictEqual } from 'node:util';
import type { Field, Schema } from '../../../server/src/arrow/field.ts';
import { encodeSchema } from '../../../server/src/arrow/ipc/schema-encoder.ts';
import { WorkClock } from '../../../server/src/base/work-clock.ts';
import { FrameholdError } from '../../../server/src/model/errors.ts';
import type {
  BindRequest,
  BoundStatement,
  EngineStatement,
  StatementParameters,
  StatementShape,
} from '../../../server/src/ports/engine.ts';
import type { IpcMessage } from '../../../server/src/ports/renderer.ts';
import type {
  AllowedStatement,
  FilledStatement,
  ParameterValue,
  StatementAllowlist,
} from './allowlist/allowlist.ts';
import { ArrowResult } from './connect/arrow-result.ts';
import type { ConnectSession } from './connect/connect-session.ts';
import { resultSchema } from './connect/result-schema.ts';
import { castType } from './parameters/cast-type.ts';
import { parameterRows } from './parameters/parameters.ts';
import { batchSettings, sessionSettings, sessionZone } from './session/session-settings.ts';
import type { SpareSession } from './session/spare-session.ts';
import { settledWithin } from './settled-within.ts';
import { fromSpark } from './spark-errors.ts';
import type { SparkHealth } from './spark-health.ts';
import { queryPlan, writePlan } from './spark-plans.ts';
import { StatementViews } from './statement-views.ts';

export interface SparkStatementOptions {
  readonly sessions: SpareSession;
  readonly allowlist: StatementAllowlist;
  readonly health: SparkHealth;
  readonly timeoutMs: number;
  readonly waitedMs: number;
  /** By earlier runs of it. */
  readonly workedMs: number;
  /** Called once, when Spark has forgotten the statement or cannot be told to. */
  readonly onRelease: () => void;
}

/** Spark may take a minute to stop what it has just begun. The caller does not wait for that; the slot does. */
const closeMs = 1_000;
/** After this it is worth asking whether the driver still answers. */
const slowReleaseMs = 3_000;

/** A statement that Spark runs, in a session of its own. It fails as a whole, once, and then gives its slot back by itself. */
export class SparkStatement implements EngineStatement {
  readonly waitedMs: number;
  readonly #sql: string;
  readonly #options: SparkStatementOptions;
  readonly #clock: WorkClock;
  /** Aborts with the reason when the statement has failed or is closed. */
  readonly #ending = new AbortController();
  #leaveSignal: () => void = () => {};
  #allowed: AllowedStatement | null = null;
  #session: ConnectSession | null = null;
  #schema: Schema | null = null;
  #stage: 'begun' | 'bound' | 'running' | 'over' = 'begun';
  #sent: FilledStatement | null = null;
  #progress: number | null = null;
  #wasStopped = false;
  #released: Promise<void> | null = null;

  constructor(sql: string, options: SparkStatementOptions) {
    const { timeoutMs, workedMs } = options;
    this.#sql = sql;
    this.#options = options;
    this.waitedMs = options.waitedMs;
    this.#clock = new WorkClock(timeoutMs, workedMs, () => this.fail(tooLong(timeoutMs)));
  }

  get workedMs(): number {
    return this.#clock.workedMs;
  }

  get shape(): StatementShape {
    const { tables, parameters } = this.#statement();
    return {
      kind: 'query',
      target: null,
      tables,
      upstreamQueries: [],
      catalog: [],
      parameterCount: parameters.count,
    };
  }

  get progress(): number | null {
    return this.#progress;
  }

  async begin(signal: AbortSignal): Promise<void> {
    const onAbort = () => this.fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#leaveSignal = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    this.#allowed = await this.#work((ending) => this.#options.allowlist.check(this.#sql, ending));
  }

  async bind({ tables, parameters = null }: BindRequest): Promise<BoundStatement> {
    const statement = this.#statement();
    const views = new StatementViews(statement.tables, tables);
    return this.#work(async (ending) => {
      const settings = new Map(Object.entries({ ...sessionSettings, ...views.settings }));
      this.#session = await this.#options.sessions.take(settings, ending);
      // Aborted meanwhile: the session was not known yet when the others were released.
      if (ending.aborted) await this.#session.release();
      ending.throwIfAborted();
      await views.create(this.#session, ending);
      this.#schema = await this.#boundSchema(this.#session, parameters, ending);
      this.#stage = 'bound';
      this.#options.sessions.prepare(settings);
      return {
        schemaMessage: encodeSchema(this.#schema ?? noFields),
        parameterSchemaMessage: encodeSchema({ fields: parameterFields(statement), metadata: [] }),
      };
    });
  }

  async *run(parameters: StatementParameters | null): AsyncGenerator<IpcMessage, void, void> {
    const { session, schema } = this.#start();
    try {
      let isFirst = true;
      for (const values of parameterRows(parameters, this.#statement().parameters)) {
        const text = await this.#work(async (ending) => {
          const filled = await this.#fill(values, ending);
          if (!isFirst) await this.#checkSame(session, filled, schema, ending);
          return filled.text;
        });
        isFirst = false;
        yield* this.#rows(session, text, schema);
      }
      this.#stage = 'over';
    } catch (thrown) {
      throw this.#failed(thrown);
    } finally {
      this.#clock.stand();
      // The last row is read, or the reader has gone: the slot is for the next one.
      this.#release().catch(() => {});
    }
  }

  /** The workers write the rows themselves: Parquet files in a new folder. */
  async write(parameters: StatementParameters | null, address: string): Promise<void> {
    const { session } = this.#start();
    const [values, more] = parameterRows(parameters, this.#statement().parameters);
    if (values === undefined || more !== undefined) throw this.#failed(oneRowOnly());
    await this.#work(async (ending) => {
      const { text } = await this.#fill(values, ending);
      for await (const event of session.execute(writePlan(text, address), { signal: ending }))
        if (event.kind === 'progress') this.#advance(event.fraction);
      this.#stage = 'over';
    });
    await this.#release();
  }

  async close(): Promise<void> {
    if (this.#stage !== 'over')
      this.fail(new FrameholdError('cancelled', 'The statement was closed before its end.'));
    await settledWithin(this.#release(), closeMs);
  }

  /** Resolves when its slot is free. */
  released(): Promise<void> {
    return this.#release();
  }

  /** Stops the statement: its reader gets the error at once. */
  fail(error: unknown): void {
    if (this.#stage === 'over' || this.#ending.signal.aborted) return;
    this.#wasStopped = this.#stage === 'running';
    this.#giveUp(error);
  }

  #giveUp(error: unknown): void {
    this.#ending.abort(error);
    this.#release().catch(() => {});
  }

  /** Until a task has ended Spark knows nothing of how far it is. */
  #advance(fraction: number): void {
    if (fraction > 0) this.#progress = fraction;
  }

  async *#rows(
    session: ConnectSession,
    text: string,
    schema: Schema,
  ): AsyncGenerator<IpcMessage, void, void> {
    const result = new ArrowResult(schema);
    const { signal } = this.#ending;
    this.#clock.run();
    for await (const event of session.execute(queryPlan(text), { signal })) {
      if (event.kind === 'progress') {
        this.#advance(event.fraction);
        continue;
      }
      for (const message of result.messagesOf(event)) {
        // The time of a reader is not the statement's.
        this.#clock.stand();
        yield message;
        signal.throwIfAborted();
        this.#clock.run();
      }
    }
    this.#clock.stand();
  }

  /** null if it depends on parameters that were not given. */
  async #boundSchema(
    session: ConnectSession,
    parameters: StatementParameters | null,
    ending: AbortSignal,
  ): Promise<Schema | null> {
    const statement = this.#statement();
    const [values] = parameters === null ? [] : parameterRows(parameters, statement.parameters);
    if (values !== undefined || statement.parameters.count === 0) {
      const schema = await this.#analyse(session, await this.#fill(values ?? [], ending), ending);
      await this.#fitBatches(session, schema, ending);
      return schema;
    }
    // Values of different types in turn: if the rows have the same types with each, they do not depend on them.
    const found: Schema[] = [];
    for (const probe of probes) {
      const filled = await this.#fill(valuesFor(statement, probe), ending);
      found.push(await this.#analyse(session, filled, ending).catch(() => noFields));
    }
    const [first = noFields] = found;
    return found.every((each) => isDeepStrictEqual(each, first)) && first.fields.length > 0 ? first : null;
  }

  async #checkSame(
    session: ConnectSession,
    filled: FilledStatement,
    schema: Schema,
    ending: AbortSignal,
  ): Promise<void> {
    if (isDeepStrictEqual(await this.#analyse(session, filled, ending), schema)) return;
    throw new FrameholdError('sql_invalid', 'The rows have other types with other parameters.', {
      hint: 'Write casts around the parameters, such as CAST(? AS BIGINT).',
    });
  }

  async #analyse(session: ConnectSession, { text }: FilledStatement, ending: AbortSignal): Promise<Schema> {
    return resultSchema(await session.analyzeSchema(queryPlan(text), ending), sessionZone);
  }

  /** Rows of many columns come in smaller batches. */
  async #fitBatches(session: ConnectSession, schema: Schema, ending: AbortSignal): Promise<void> {
    const settings = batchSettings(schema);
    if (settings !== null) await session.setConfig(settings, ending);
  }

  async #fill(values: readonly ParameterValue[], ending: AbortSignal): Promise<FilledStatement> {
    const statement = this.#statement();
    const { names } = statement.parameters;
    const given =
      names === null ? values : Object.fromEntries(names.map((name, at) => [name, values[at] ?? nothing]));
    this.#sent = await this.#options.allowlist.fill(statement, given, ending);
    return this.#sent;
  }

  #start(): { session: ConnectSession; schema: Schema } {
    this.#ending.signal.throwIfAborted();
    if (this.#stage !== 'bound' || this.#session === null)
      throw new Error('a statement runs once, when it is bound');
    if (this.#schema === null)
      throw this.#failed(
        new FrameholdError('sql_invalid', 'The statement has parameters, and no values were given for them.'),
      );
    this.#stage = 'running';
    return { session: this.#session, schema: this.#schema };
  }

  #statement(): AllowedStatement {
    if (this.#allowed === null) throw new Error('the statement has not begun');
    return this.#allowed;
  }

  /** A step of the statement's own work: its time counts, and its failure is the statement's. */
  async #work<Result>(step: (ending: AbortSignal) => Promise<Result>): Promise<Result> {
    const { signal } = this.#ending;
    signal.throwIfAborted();
    this.#clock.run();
    try {
      return await step(signal);
    } catch (thrown) {
      throw this.#failed(thrown);
    } finally {
      this.#clock.stand();
    }
  }

  /** The first failure counts; what follows from it says nothing. */
  #failed(thrown: unknown): unknown {
    const { signal } = this.#ending;
    if (signal.aborted) return signal.reason;
    const allowed = this.#allowed;
    const sent = this.#sent ?? allowed;
    const error = fromSpark(thrown, {
      statement: this.#sql,
      text: sent?.text ?? '',
      places: sent?.places ?? new Uint32Array(0),
      tables: allowed?.tables ?? [],
    });
    if (error.kind === 'unavailable') this.#options.health.doubt();
    this.#giveUp(error);
    return error;
  }

  #release(): Promise<void> {
    this.#released ??= this.#end();
    return this.#released;
  }

  /** Spark stops what runs in the session, and forgets the session. */
  async #end(): Promise<void> {
    const { health, onRelease } = this.#options;
    const since = performance.now();
    this.#clock.stand();
    this.#leaveSignal();
    try {
      const isTold = this.#session === null || (await this.#session.release());
      // What had to be stopped may still be at work in the driver.
      if (!isTold || this.#wasStopped || performance.now() - since > slowReleaseMs) health.doubt();
    } finally {
      onRelease();
    }
  }
}

const noFields: Schema = { fields: [], metadata: [] };
const nothing: ParameterValue = { type: 'null' };

const probes: readonly ParameterValue[] = [
  nothing,
  { type: 'typed_null', of: 'STRING' },
  { type: 'typed_null', of: 'BIGINT' },
];

function valuesFor({ parameters }: AllowedStatement, value: ParameterValue): readonly ParameterValue[] {
  return Array.from({ length: parameters.count }, () => value);
}

/** Spark does not say which types it wants. */
function parameterFields({ parameters: { count, names, casts } }: AllowedStatement): Field[] {
  return Array.from({ length: count }, (_, index) => ({
    name: names?.[index] ?? `$${index + 1}`,
    type: castType(casts[index] ?? null),
    nullable: true,
    children: [],
    dictionary: null,
    metadata: [],
  }));
}

function tooLong(timeoutMs: number): FrameholdError {
  return new FrameholdError('sql_timeout', `The statement worked for more than ${timeoutMs} ms.`, {
    hint: 'Ask for less at once, or raise spark.timeout_ms.',
  });
}

function oneRowOnly(): FrameholdError {
  return new FrameholdError('sql_invalid', 'A result that becomes a frame has one row of parameters.', {
    hint: 'Send the statement once for each row of parameters.',
  });
}
