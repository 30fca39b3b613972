import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { FrameholdError } from '../../../model/errors.ts';
import type { PostgresFrames, PostgresSession } from '../../../ports/engine.ts';
import { quoteText } from '../sql-tokens.ts';
import { createBaseTables, describeTypes } from './base-tables.ts';
import { namedTypes, storedType } from './column-types.ts';
import { loadFrames } from './frame-rows.ts';
import { macros, tableMacros } from './macros.ts';
import { systemViews } from './system-views.ts';

/** Its tables with 100,000 frames take 100 MB; what statements sort and join comes on top. */
const memoryBytesMax = 512 * 1024 ** 2;

export interface CatalogOptions {
  readonly threads: number;
  readonly memoryBytes: number;
}

/**
 * An instance of DuckDB with PostgreSQL's catalogs for one tenant, in memory, and nothing else: no frame's data, no access to files, settings that nobody can
 * change.
 */
export class CatalogInstance {
  readonly tenant: string;
  readonly #instance: DuckDBInstance;
  readonly #control: DuckDBConnection;
  readonly #started: string;
  #key: string | null = null;

  private constructor(tenant: string, instance: DuckDBInstance, control: DuckDBConnection) {
    this.tenant = tenant;
    this.#instance = instance;
    this.#control = control;
    this.#started = new Date().toISOString();
  }

  static async open(tenant: string, { threads, memoryBytes }: CatalogOptions): Promise<CatalogInstance> {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(threads),
      memory_limit: `${Math.min(memoryBytes, memoryBytesMax)}B`,
      // Nothing is written: what does not fit fails.
      temp_directory: '',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      allow_unsigned_extensions: 'false',
      allow_persistent_secrets: 'false',
    });
    try {
      const control = await instance.connect();
      await control.run(
        [
          "SET GLOBAL TimeZone = 'UTC'",
          // As PostgreSQL sorts and divides.
          "SET GLOBAL default_null_order = 'nulls_last_on_asc_first_on_desc'",
          'SET GLOBAL integer_division = true',
          ...namedTypes.map((type) => `CREATE TYPE pg__${type} AS ${storedType(type)}`),
          ...sessionVariables({ database: '', user: '', backendId: 0, settings: new Map([['', '']]) }, ''),
        ].join(';\n'),
      );
      await createBaseTables(control);
      await control.run(inOrder().join(';\n'));
      await describeTypes(control);
      await control.run('SET GLOBAL enable_external_access = false; SET GLOBAL lock_configuration = true');
      return new CatalogInstance(tenant, instance, control);
    } catch (thrown) {
      instance.closeSync();
      throw thrown;
    }
  }

  /** Of the frames that it has; null if it has none yet. */
  get key(): string | null {
    return this.#key;
  }

  /** Replaces the frames that it has. */
  async load(key: string, frames: PostgresFrames): Promise<void> {
    this.#key = null;
    await loadFrames(this.#control, frames);
    this.#key = key;
  }

  /** A connection for one statement of this session. */
  async connect(session: PostgresSession): Promise<DuckDBConnection> {
    const connection = await this.#instance.connect();
    try {
      await connection.run(sessionVariables(session, this.#started).join(';\n'));
      return connection;
    } catch (thrown) {
      connection.disconnectSync();
      throw thrown;
    }
  }

  /** The tree of a text, as JSON. Nothing is run. */
  async serialize(sql: string): Promise<string> {
    const reader = await this.#control.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
    return String(reader.value(0, 0));
  }

  /** Whether nobody can change its settings, nor reach a file: read back, because everything depends on it. */
  async verify(): Promise<void> {
    const reader = await this.#control.runAndReadAll(
      "SELECT current_setting('enable_external_access'), current_setting('lock_configuration')",
    );
    if (String(reader.value(0, 0)) === 'false' && String(reader.value(1, 0)) === 'true') return;
    throw new FrameholdError('engine_failed', 'The engine did not take the settings of its sandbox.');
  }

  close(): void {
    this.#control.disconnectSync();
    this.#instance.closeSync();
  }
}

/** Whatever uses something comes behind it. One transaction takes half the time of many. */
function inOrder(): readonly string[] {
  const { first, last } = systemViews();
  const made = [...macros, ...tableMacros].map((macro) => `CREATE MACRO ${macro}`);
  return ['BEGIN', ...first, ...made, ...last, 'COMMIT'];
}

/** Settings of PostgreSQL's that statements over its catalogs ask for, and sessions do not have. */
const furtherSettings: readonly (readonly [string, string])[] = [
  ['default_table_access_method', 'heap'],
  ['max_index_keys', '32'],
];

/** Macros show them as what the session is. */
function sessionVariables(session: PostgresSession, started: string): readonly string[] {
  const settings = [...furtherSettings, ...session.settings].map(
    ([name, value]) => `{name: ${quoteText(name)}, setting: ${quoteText(value)}}`,
  );
  const values = {
    database: quoteText(session.database),
    user: quoteText(session.user),
    backend: `${session.backendId}::INTEGER`,
    version: quoteText(session.settings.get('server_version') ?? ''),
    started: started === '' ? 'NULL::TIMESTAMPTZ' : `${quoteText(started)}::TIMESTAMPTZ`,
    settings: `[${settings.join(', ')}]`,
  };
  return Object.entries(values).map(([name, value]) => `SET VARIABLE pg__${name} = ${value}`);
}
