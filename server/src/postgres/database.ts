import { readFileSync } from 'node:fs';
import pg from 'pg';
import { FrameholdError } from '../model/errors.ts';
import { isConnectionLoss, isRetryable, isTemporary, unavailable } from './faults.ts';
import { parseSafeInteger } from './safe-integer.ts';
import { Turns } from './turns.ts';

export interface DatabaseOptions {
  /** postgres://user:password@host:port/database?sslmode=… */
  readonly url: string;
  /** Takes the place of the password in the URL; read at every new connection, so that it can change. */
  readonly passwordFile?: string | undefined;
  /** The authority of the server's certificate, as PEM. */
  readonly caFile?: string | undefined;
  readonly connectionsMax: number;
  /** For each statement, and for a connection. */
  readonly timeoutMs: number;
  /** For a connection, where statements may take long. */
  readonly connectMs?: number;
}

/** Statements on one connection. Rows have the names of the columns; int8 is a number, bytea a Buffer. */
export interface Sql {
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  first<Row>(text: string, values?: readonly unknown[]): Promise<Row | undefined>;
  /** How many rows it has changed. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

export interface Transaction extends Sql {
  /**
   * Sends the statement and does not wait: it is executed before what is sent after it, and the transaction fails with it. Several of
   * them and the COMMIT take one round trip.
   */
  send(text: string, values?: readonly unknown[]): void;
}

/** Whoever waits longer has long been given an error by the time limit; more is a fault of its own. */
const waitingMax = 10_000;
/** Of the connections. */
const changesShare = 0.75;
/** A deadlock or a serialization failure has changed nothing: the transaction is made again. */
const triesMax = 5;

/** A PostgreSQL database: its connections, and what the end of a transaction means. */
export class Database {
  readonly #pool: pg.Pool;
  readonly #timeoutMs: number;
  /** Changes of one name or one tenant wait for each other, each with a connection: so many that reads find none left must not. */
  readonly #changes: Turns;
  #refusal: FrameholdError | null = null;

  constructor(options: DatabaseOptions) {
    this.#timeoutMs = options.timeoutMs;
    this.#changes = new Turns(Math.ceil(options.connectionsMax * changesShare), {
      max: waitingMax,
      waitMs: options.timeoutMs,
      full: tooManyWaiting,
      late: () => unavailable(null, `No connection to the catalog within ${options.timeoutMs} ms.`),
    });
    this.#pool = new pg.Pool({ ...connection(options), max: options.connectionsMax });
    // The pool drops an idle connection that was lost. Whoever needs one next is given a new one.
    this.#pool.on('error', () => {});
    // One that is lost while it is used says so twice: by what was sent on it, which is awaited, and by an event that would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** Statements that change nothing, each on its own. Made once more if the connection is lost. */
  async read<Answer>(work: (sql: Sql) => Promise<Answer>): Promise<Answer> {
    if (this.#refusal !== null) throw this.#refusal;
    try {
      return await this.#read(work);
    } catch (error) {
      if (!isConnectionLoss(error)) throw asRefusal(error);
      try {
        return await this.#read(work);
      } catch (again) {
        throw asRefusal(again);
      }
    }
  }

  /**
   * One transaction, durable when it resolves. If it rejects, nothing was changed, unless the kind is outcome_unknown: the connection was
   * lost after COMMIT was sent.
   */
  async change<Answer>(work: (sql: Transaction) => Promise<Answer>): Promise<Answer> {
    if (this.#refusal !== null) throw this.#refusal;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#changes.take(() => this.#change(work));
      } catch (error) {
        if (!isRetryable(error) || tries >= triesMax) throw asRefusal(error);
      }
    }
  }

  /**
   * Refuses all that is asked for from now on: the tables are no longer those that this program knows. Requests, statements and background work all
   * come through here, so none of them reads wrongly or spoils what newer servers have written.
   */
  refuse(reason: FrameholdError): void {
    this.#refusal = reason;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #read<Answer>(work: (sql: Sql) => Promise<Answer>): Promise<Answer> {
    const client = await this.#connect();
    let isBroken = true;
    try {
      const answer = await work(new Statements(client));
      isBroken = false;
      return answer;
    } catch (error) {
      isBroken = isConnectionLoss(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  async #change<Answer>(work: (sql: Transaction) => Promise<Answer>): Promise<Answer> {
    const client = await this.#connect();
    const sql = new Statements(client);
    let isBroken = false;
    try {
      sql.send('BEGIN');
      let answer: Answer;
      try {
        answer = await work(sql);
      } catch (error) {
        // A statement that was sent before may be the reason why a later one failed.
        const cause = (await sql.firstFailure()) ?? error;
        isBroken = isConnectionLoss(cause);
        if (!isBroken) await client.query('ROLLBACK');
        throw cause;
      }
      await commit(client, sql);
      return answer;
    } catch (error) {
      isBroken ||= isConnectionLoss(error) || isOutcomeUnknown(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= waitingMax) throw tooManyWaiting();
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw unavailable(error, `No connection to the catalog within ${this.#timeoutMs} ms.`);
    }
  }
}

/** Resolves when it is committed. If the reply is lost, nobody knows whether it is. */
async function commit(client: pg.PoolClient, sql: Statements): Promise<void> {
  const sent = client.query('COMMIT');
  // Both are awaited: one that nobody awaits would end the process when it fails.
  const [failure, ended] = await Promise.all([
    sql.firstFailure(),
    sent.then(
      (result) => result.command,
      (error: unknown) => ({ error }),
    ),
  ]);
  if (ended === 'COMMIT') return;
  if (typeof ended !== 'string' && isConnectionLoss(ended.error)) throw outcomeUnknown(ended.error);
  if (failure !== null) throw failure;
  throw typeof ended === 'string' ? new Error(`COMMIT was answered by ${ended}.`) : ended.error;
}

class Statements implements Transaction {
  readonly #client: pg.PoolClient;
  readonly #sent: Promise<unknown>[] = [];

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#query(text, values)).rows as Row[];
  }

  async first<Row>(text: string, values: readonly unknown[] = []): Promise<Row | undefined> {
    return (await this.rows<Row>(text, values))[0];
  }

  async run(text: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.#query(text, values)).rowCount ?? 0;
  }

  send(text: string, values: readonly unknown[] = []): void {
    this.#sent.push(
      this.#query(text, values).then(
        () => null,
        (error: unknown) => error,
      ),
    );
  }

  /** Of what was sent, the failure that came first. */
  async firstFailure(): Promise<unknown> {
    for (const sent of this.#sent) {
      const failure = await sent;
      if (failure !== null) return failure;
    }
    return null;
  }

  #query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    if (values.length === 0) return this.#client.query(text);
    return this.#client.query({ name: nameOf(text), text, values: [...values] });
  }
}

const names = new Map<string, string>();

/** PostgreSQL parses and plans a statement with a name once for each connection. The texts are those of our own code, so they are few. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return name;
}

/**
 * Every statement finds rows by their keys. Planned once for a connection it takes a tenth of the time; with an array among its values PostgreSQL
 * would plan it anew each time. And it would read a whole table to see whether there is any row with a common value, as most values are that
 * one: which takes long for a value that is not there. Compiling never pays.
 */
const planning = ['plan_cache_mode=force_generic_plan', 'enable_seqscan=off', 'jit=off'];

function connection({ url, passwordFile, caFile, timeoutMs, connectMs }: DatabaseOptions): pg.PoolConfig {
  return {
    connectionString: url,
    ...(passwordFile === undefined
      ? {}
      : { password: () => readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, '') }),
    ...(caFile === undefined ? {} : { ssl: { ca: readFileSync(caFile, 'utf8') } }),
    application_name: 'framehold',
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: connectMs ?? timeoutMs,
    query_timeout: timeoutMs,
    // What a lost node has left open ends soon, and with it its locks.
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    options: planning.map((setting) => `-c ${setting}`).join(' '),
    types: { getTypeParser: typeParser },
  } as pg.PoolConfig;
}

function typeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return parseSafeInteger;
  return pg.types.getTypeParser(oid, format as 'text');
}

/** What callers are told of a fault of the database. Other errors are returned as they are. */
function asRefusal(error: unknown): unknown {
  if (isConnectionLoss(error)) return unavailable(error);
  return isTemporary(error) ? unavailable(error, 'The catalog cannot do this at the moment.') : error;
}

function tooManyWaiting(): FrameholdError {
  return new FrameholdError('overloaded', 'Too many requests wait for the catalog.', {
    hint: 'Try again in a moment.',
  });
}

function outcomeUnknown(cause: unknown): FrameholdError {
  return new FrameholdError(
    'outcome_unknown',
    'The connection to the catalog was lost while a change was committed.',
    { cause, hint: 'Look whether it was made before you repeat it, or repeat it with its idempotency key.' },
  );
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof FrameholdError && error.kind === 'outcome_unknown';
}
