import { FrameholdError } from '../../../server/src/model/errors.ts';
import { EngineSlots } from '../../../server/src/model/limits/engine-slots.ts';
import type {
  EarlierRuns,
  Engine,
  EngineStatement,
  EngineVocabulary,
} from '../../../server/src/ports/engine.ts';
import type { Observe } from '../../../server/src/ports/observation.ts';
import { type StatementAllowlist, WorkerAllowlist } from './allowlist/allowlist.ts';
import { allowlistVocabulary } from './allowlist/vocabulary.ts';
import { ConnectClient } from './connect/connect-client.ts';
import { SpareSession } from './session/spare-session.ts';
import { settledWithin } from './settled-within.ts';
import { SparkHealth, type SparkHealthOptions } from './spark-health.ts';
import { SparkStatement } from './spark-statement.ts';

/** What Spark has not stopped by then it gives up by itself, some minutes after the last word of this server. */
const closeMs = 5_000;
/** The same for one that may not answer at all: an operator who stops the server waits for it. */
const closeInDoubtMs = 1_000;

/** Members may be getters of settings that change. */
export interface SparkEngineOptions {
  /** `sc://host:port/;…`: one application of Spark. */
  readonly url: string;
  readonly token: string | null;
  /** Certificates that vouch for the server's. */
  readonly caFile: string | null;
  /** Statements at once. */
  readonly statementsMax: number;
  readonly queueMax: number;
  readonly queueWaitMs: number;
  readonly timeoutMs: number;
  readonly observe: Observe;
  /** Shared with other applications, and closed by the caller. Default: one of its own. Each has processes that take memory. */
  readonly allowlist?: StatementAllowlist;
  readonly health?: SparkHealthOptions;
}

/** SQL that an application of Apache Spark runs. Every statement has a session of its own. What it may be is decided here, in `allowlist/`. */
export class SparkEngine implements Engine {
  /** For the metrics. */
  readonly name = 'spark';
  readonly #options: SparkEngineOptions;
  readonly #client: ConnectClient;
  readonly #sessions: SpareSession;
  readonly #allowlist: StatementAllowlist;
  readonly #health: SparkHealth;
  readonly #slots: EngineSlots;
  readonly #running = new Set<SparkStatement>();

  private constructor(options: SparkEngineOptions, client: ConnectClient) {
    this.#options = options;
    this.#client = client;
    this.#sessions = new SpareSession(client);
    this.#allowlist = options.allowlist ?? new WorkerAllowlist();
    this.#health = new SparkHealth(client, options.observe, options.health);
    this.#slots = new EngineSlots({
      what: 'statements for Spark',
      get max() {
        return options.statementsMax;
      },
      get queueMax() {
        return options.queueMax;
      },
      get waitMs() {
        return options.queueWaitMs;
      },
      setting: 'spark.statements_max',
    });
  }

  /** Connects when the first statement comes: Spark need not run yet. */
  static async open(options: SparkEngineOptions): Promise<SparkEngine> {
    const { url, token, caFile } = options;
    return new SparkEngine(options, await ConnectClient.open({ url, token, caFile }));
  }

  get running(): number {
    return this.#slots.running;
  }

  get waiting(): number {
    return this.#slots.waiting;
  }

  /** A session for each statement: nothing is kept. */
  async begin(
    sql: string,
    tenant: string,
    signal: AbortSignal,
    { workedMs = 0 }: EarlierRuns = {},
  ): Promise<EngineStatement> {
    await this.#health.ready(signal);
    const { leave, waitedMs } = await this.#slots.enter(signal, tenant);
    const statement = new SparkStatement(sql, {
      sessions: this.#sessions,
      allowlist: this.#allowlist,
      health: this.#health,
      timeoutMs: this.#options.timeoutMs,
      waitedMs,
      workedMs,
      onRelease: () => {
        this.#running.delete(statement);
        leave();
      },
    });
    this.#running.add(statement);
    await statement.begin(signal);
    return statement;
  }

  /** Known without Spark: the allowlist's own lists. */
  async vocabulary(signal: AbortSignal): Promise<EngineVocabulary> {
    signal.throwIfAborted();
    return allowlistVocabulary();
  }

  async close(): Promise<void> {
    const stopping = new FrameholdError('draining', 'The server is stopping.');
    this.#slots.close(stopping);
    const running = [...this.#running];
    for (const statement of running) statement.fail(stopping);
    const released = running.map((statement) => statement.released());
    const waitMs = this.#health.isInDoubt ? closeInDoubtMs : closeMs;
    await settledWithin(Promise.all([...released, this.#sessions.close(), this.#health.close()]), waitMs);
    if (this.#options.allowlist === undefined) await this.#allowlist.close();
    this.#client.close();
  }
}
