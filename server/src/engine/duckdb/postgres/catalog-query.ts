import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api';
import type { Field, Schema } from '../../../arrow/field.ts';
import { encodeSchema } from '../../../arrow/ipc/schema-encoder.ts';
import { withPostgresType } from '../../../arrow/schema/postgres-marks.ts';
import type { BufferPool } from '../../../base/buffer-pool.ts';
import { FrameholdError } from '../../../model/errors.ts';
import { systemRelation } from '../../../model/postgres/relations.ts';
import { textPlace } from '../../../model/text-place.ts';
import type {
  BindRequest,
  BoundStatement,
  StatementParameters,
  StatementShape,
} from '../../../ports/engine.ts';
import type { IpcPiece, RunnerOptions, StatementRunner } from '../../statement-runner.ts';
import { failureLocation, fromDuckdb } from '../duckdb-errors.ts';
import { type BindValues, parameterRows, parameterSchemaOf } from '../parameters/parameters.ts';
import { arrowSchemaOf, encodeResult } from '../result/encode-result.ts';
import { allowedTableFunctions } from '../statement/allowed-functions.ts';
import { parameterCasts, typesOfCasts } from '../statement/parameter-casts.ts';
import { TreeWalk } from '../statement/statement-tree.ts';
import { placeOf } from '../statement/written-places.ts';
import type { CatalogInstance } from './catalog-instance.ts';
import { CatalogKeeper } from './catalog-keeper.ts';
import { storedType } from './column-types.ts';
import { tableFunctions } from './macros.ts';
import { resultTypes } from './result-types.ts';

/** Of this process. */
const keeper = new CatalogKeeper();
const allowed = new Set([...allowedTableFunctions, ...tableFunctions]);

type Tree = Readonly<Record<string, unknown>>;

interface Bound {
  readonly statement: DuckDBPreparedStatement;
  readonly schema: Schema;
  readonly values: BindValues | null;
}

/**
 * A statement over PostgreSQL's catalogs, in the instance that has them. Its text was written for that instance by `sql/postgres`; it passes the same gate as every other statement,
 * and can name the catalogs' relations only.
 */
export class CatalogQuery implements StatementRunner {
  readonly shape: StatementShape;
  readonly #instance: CatalogInstance;
  readonly #text: string;
  readonly #tree: Tree;
  #connection: DuckDBConnection | null = null;
  #bound: Bound | null = null;
  #isWorking = false;
  /** Interrupted at its work, or out of memory: the instance is not used again. */
  #isBroken = false;
  #isClosed = false;

  private constructor(instance: CatalogInstance, text: string, tree: Tree) {
    this.#instance = instance;
    this.#text = text;
    this.#tree = tree;
    const { named_param_map: parameters } = tree;
    this.shape = {
      kind: 'query',
      target: null,
      tables: [],
      upstreamQueries: [],
      catalog: [],
      parameterCount: Array.isArray(parameters) ? parameters.length : 0,
      catalogKey: instance.key,
    };
  }

  static async begin(text: string, options: RunnerOptions, tenant: string): Promise<CatalogQuery> {
    const instance = await keeper.take(tenant, options);
    try {
      const tree = readTree(await instance.serialize(text), text);
      requireCatalogs(tree);
      return new CatalogQuery(instance, text, tree);
    } catch (thrown) {
      keeper.giveBack(instance);
      throw fromDuckdb(thrown, { phase: 'bind', showsLine: false, paths: [] });
    }
  }

  async bind({ postgres, parameters = null }: BindRequest): Promise<BoundStatement> {
    if (postgres === undefined) throw new FrameholdError('engine_failed', 'The catalogs were not given.');
    const { session, key, frames } = postgres;
    this.#isWorking = true;
    try {
      if (frames !== null) await this.#instance.load(key, frames);
      if (this.#instance.key !== key)
        throw new FrameholdError('engine_failed', 'The catalogs are of another version.');
      this.#connection = await this.#instance.connect(session);
      const types = resultTypes(asTree(this.#tree.node));
      let statement = await this.#connection.prepare(this.#text);
      const casts = await typesOfCasts(this.#connection, parameterCasts(this.#tree));
      const parameterSchema =
        statement.parameterCount === 0
          ? noColumns
          : withOids(statement, parameterSchemaOf(statement, casts), casts);
      const shown = isTyped(statement) ? withNamesOfObjects(statement, this.#text, types) : null;
      if (shown !== null) statement = await this.#connection.prepare(shown);
      this.#bound = await described(
        statement,
        shown === null ? types : (types?.map(asText) ?? null),
        parameters,
      );
      return {
        schemaMessage: encodeSchema(this.#bound.schema),
        parameterSchemaMessage: encodeSchema(parameterSchema),
      };
    } catch (thrown) {
      throw await this.#failed(thrown, 'bind');
    } finally {
      this.#isWorking = false;
    }
  }

  async *run(parameters: StatementParameters | null, pool: BufferPool): AsyncGenerator<IpcPiece, void, void> {
    const bound = this.#bound;
    if (bound === null) throw new FrameholdError('engine_failed', 'The statement was not bound.');
    const { statement, schema, values } = bound;
    this.#isWorking = true;
    try {
      if (values === null) {
        const [bind] = parameterRows(parameters, statement);
        bind?.();
      }
      yield* encodeResult(await statement.stream(), schema, {
        pool,
        explainFailure: () => this.#explainFailure(parameters),
      });
    } catch (thrown) {
      throw await this.#failed(thrown, 'run');
    } finally {
      this.#isWorking = false;
    }
  }

  progress(): number | null {
    return null;
  }

  /** Every statement is told when it is closed: most have nothing under way then. */
  interrupt(): void {
    if (this.#isWorking) this.#isBroken = true;
    this.#connection?.interrupt();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection?.disconnectSync();
    if (this.#isBroken) this.#instance.close();
    else keeper.giveBack(this.#instance);
  }

  /** A stream keeps to itself why it failed: the statement is run again for that. */
  async #explainFailure(parameters: StatementParameters | null): Promise<null> {
    const statement = await this.#connection?.prepare(this.#text);
    if (statement === undefined) return null;
    const [bind] = parameterRows(parameters, statement);
    bind?.();
    await statement.run();
    return null;
  }

  async #failed(thrown: unknown, phase: 'bind' | 'run'): Promise<FrameholdError> {
    const error = fromDuckdb(thrown, { phase, showsLine: false, paths: [] });
    if (error.kind === 'sql_memory' || error.kind === 'engine_failed') this.#isBroken = true;
    if (error.kind !== 'sql_invalid' || this.#connection === null || this.#isBroken)
      return inOwnWords(error, null);
    const location = await failureLocation(this.#connection, this.#text, (thrown as Error).message);
    return inOwnWords(error, location === null ? null : placeOf(this.#text, location));
  }
}

const noColumns: Schema = { fields: [], metadata: [] };

/** The names of macros are not the caller's. */
function inOwnWords(error: FrameholdError, position: number | null): FrameholdError {
  const { kind, message, hint, cause, sqlState } = error;
  // A place in this text: whoever wrote it knows where that is in the caller's.
  const place = position === null ? error.place : { position, line: 1, column: position + 1 };
  return new FrameholdError(kind, message.replaceAll('pg__', ''), {
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { place }),
    ...(sqlState === undefined ? {} : { sqlState }),
    cause,
  });
}

function readTree(serialized: string, text: string): Tree {
  const answer = JSON.parse(serialized) as Tree;
  const position = Number(answer.position);
  if (answer.error === true)
    throw new FrameholdError(
      'sql_invalid',
      String(answer.error_message ?? 'It cannot be parsed.'),
      Number.isSafeInteger(position) ? { place: textPlace(text, placeOf(text, position)) } : {},
    );
  const statements = Array.isArray(answer.statements) ? (answer.statements as readonly Tree[]) : [];
  const [statement] = statements;
  if (statement === undefined || statements.length > 1)
    throw new FrameholdError('sql_invalid', 'There is not exactly one statement.');
  return statement;
}

/** The gate of every statement, and only relations that PostgreSQL has. */
function requireCatalogs(tree: Tree): void {
  const walk = new TreeWalk(0, allowed);
  walk.walk(tree);
  for (const table of walk.tables) {
    const isView = table.startsWith('information_schema.');
    const relation = isView
      ? systemRelation('information_schema', table.slice(19))
      : systemRelation(null, table);
    if (relation === null)
      throw new FrameholdError('sql_invalid', `There is no relation "${table}" in PostgreSQL's catalogs.`, {
        sqlState: '42P01',
        hint: 'A statement reads frames, or PostgreSQL’s catalogs, but not both.',
      });
  }
  if (walk.analytics.length + walk.upstreamCalls.length + walk.catalog.length > 0)
    throw new FrameholdError('sql_refused', 'A statement over the catalogs reads nothing else.');
}

function isTyped(statement: DuckDBPreparedStatement): boolean {
  return !(statement.columnCount === 1 && statement.columnTypeId(0) === DuckDBTypeId.INVALID);
}

/** OIDs of objects that PostgreSQL shows as names, in a query around the statement; null if it has none. */
function withNamesOfObjects(
  statement: DuckDBPreparedStatement,
  text: string,
  types: readonly (string | null)[] | null,
): string | null {
  if (types === null || !types.some((type) => type?.startsWith('reg') === true)) return null;
  const columns = Array.from({ length: statement.columnCount }, (_, index) => statement.columnName(index));
  const list = columns.map((name, index) => {
    const type = types[index];
    const value = type?.startsWith('reg') === true ? `pg__${type}_text("${index}")` : `"${index}"`;
    return `${value} AS "${name.replaceAll('"', '""')}"`;
  });
  return `SELECT ${list.join(', ')} FROM (${text}) statement(${columns.map((_, index) => `"${index}"`).join(', ')})`;
}

function asText(type: string | null): string | null {
  return type?.startsWith('reg') === true ? 'text' : type;
}

async function described(
  statement: DuckDBPreparedStatement,
  types: readonly (string | null)[] | null,
  parameters: StatementParameters | null,
): Promise<Bound> {
  if (!isTyped(statement) && parameters === null) return { statement, schema: noColumns, values: null };
  const [values = null] = isTyped(statement) ? [] : parameterRows(parameters, statement);
  values?.();
  const result = values === null ? null : await statement.run();
  const count = result?.columnCount ?? statement.columnCount;
  const columns = Array.from({ length: count }, (_, index) => ({
    name: result?.columnName(index) ?? statement.columnName(index),
    type: result?.columnType(index) ?? statement.columnType(index),
  }));
  const { fields } = arrowSchemaOf(
    columns.map(({ name }) => name),
    columns.map(({ type }) => type),
  );
  const marked = fields.map((field, index) => {
    const { type } = columns[index] as (typeof columns)[number];
    return marks(field, type.alias === 'JSON' ? 'JSON' : String(type), types?.[index] ?? null);
  });
  return { statement, schema: { fields: marked, metadata: [] }, values };
}

/** `stored`: the engine's type, which decides: what was concluded from the text must fit. */
function marks(field: Field, stored: string, type: string | null): Field {
  // Nothing but nulls, which the engine calls INTEGER and PostgreSQL text.
  if (type === 'unknown') return stored === 'INTEGER' ? withPostgresType(field, 'text') : field;
  if (type !== null && storedType(type) === stored) return withPostgresType(field, type);
  if (stored === 'JSON') return withPostgresType(field, 'json');
  const oid = oidTypes[stored];
  return oid === undefined ? field : withPostgresType(field, oid);
}

const oidTypes: Readonly<Record<string, string>> = { UINTEGER: 'oid', 'UINTEGER[]': '_oid' };

/** What the engine or a cast knows of a parameter with OIDs. */
function withOids(
  statement: DuckDBPreparedStatement,
  { fields, metadata }: Schema,
  casts: ReadonlyMap<string, DuckDBType>,
): Schema {
  return {
    fields: fields.map((field, index) => {
      const isKnown = statement.parameterTypeId(index + 1) !== DuckDBTypeId.INVALID;
      const type = isKnown ? statement.parameterType(index + 1) : casts.get(String(index + 1));
      const oid = oidTypes[String(type)];
      return oid === undefined ? field : withPostgresType(field, oid);
    }),
    metadata,
  };
}

function asTree(value: unknown): Tree {
  return typeof value === 'object' && value !== null ? (value as Tree) : {};
}
