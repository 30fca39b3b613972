import { realpathSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance, type DuckDBPreparedStatement } from '@duckdb/node-api';
import { FrameholdError } from '../../model/errors.ts';
import { quoteText } from './sql-tokens.ts';
import { ParsedStatements } from './statement/parsed-statements.ts';
import { StatementLinks } from './statement-links.ts';
import { ReusableTables } from './tables/reusable-tables.ts';
import { WrittenViews } from './tables/written-views.ts';

/** What an instance may use. */
export interface SandboxOptions {
  readonly threads: number;
  readonly memoryBytes: number;
  /** Only for this process. */
  readonly tempDirectory: string;
  readonly tempBytesMax: number;
  /** Only for this process, on the filesystem of the Parquet files; absent if the temporary directory is on it. */
  readonly linkDirectory?: string | undefined;
  /** A database file that statements may read as `analytics`; made if it is not there. */
  readonly analyticsPath: string | null;
}

/** Rows that the engine makes ahead of its reader: fewer, larger steps cost less than the default of 1 MB. */
const streamAheadBytes = 16_000_000;

/** Short statements end before the engine begins to work out how far they are. */
const progressAfterMs = 200;

/** Settings that only connections have. To set them takes longer than a small statement. A statement that may have changed them ends with its connection. */
const ofConnection: Readonly<Record<string, string>> = {
  streaming_buffer_size: `'${streamAheadBytes}B'`,
  // The engine works out how far a statement is only if it would show a bar.
  enable_progress_bar: 'true',
  enable_progress_bar_print: 'false',
  progress_bar_time: String(progressAfterMs),
  // As USE does it.
  schema: "'framehold.main'",
};

/** Numbers for the folders of links, which the instances of a process do not share. */
let opened = 0;

/** What a locked instance can open, besides its temporary files. */
type Lock =
  /** Exactly these files: for one statement. */
  | { readonly to: 'files'; readonly files: readonly string[]; readonly tempBytesMax: number }
  /** The links of each of its statements: for any number of them, one after another. */
  | { readonly to: 'links'; readonly tempBytesMax: number };

/**
 * One instance of DuckDB. Until it is locked it only parses; once it is, it reaches the files that it was locked to and nothing else, and no
 * setting of it changes. Each statement has a connection of its own.
 */
export class Sandbox {
  readonly options: SandboxOptions;
  /** Runs what this module and its neighbours wrote, never a caller's statement. */
  readonly control: DuckDBConnection;
  readonly links: StatementLinks;
  readonly views = new WrittenViews();
  readonly left = new ReusableTables();
  readonly statements = new ParsedStatements((sql) => this.#serialize(sql));
  readonly #instance: DuckDBInstance;
  readonly #parse: DuckDBPreparedStatement;
  #lock: Lock | null = null;
  /** With its settings, for the next statement. */
  #connection: DuckDBConnection | null = null;
  #closed = false;

  private constructor(
    options: SandboxOptions,
    instance: DuckDBInstance,
    control: DuckDBConnection,
    parse: DuckDBPreparedStatement,
  ) {
    this.options = options;
    this.control = control;
    this.#instance = instance;
    this.#parse = parse;
    opened += 1;
    const parents = [options.linkDirectory, options.tempDirectory].filter((parent) => parent !== undefined);
    this.links = new StatementLinks(parents.map(resolved), `links-${opened}`);
  }

  static async open(options: SandboxOptions): Promise<Sandbox> {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(options.threads),
      memory_limit: `${options.memoryBytes}B`,
      temp_directory: options.tempDirectory,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      allow_unsigned_extensions: 'false',
      allow_persistent_secrets: 'false',
    });
    try {
      const control = await instance.connect();
      const settings = [
        // As an option of the instance it would be shown, and not kept.
        `max_temp_directory_size = '${options.tempBytesMax}B'`,
        "TimeZone = 'UTC'",
        // Files do not change: their footers are read once.
        'parquet_metadata_cache = true',
        // The kernel keeps what is read often. A copy in each process would only add to it, and outlive its statement.
        'enable_external_file_cache = false',
        // What a frame's metadata says about geometries must not change its columns.
        'enable_geoparquet_conversion = false',
      ];
      await runAll(control, [emptyCatalog, ...settings.map((setting) => `SET GLOBAL ${setting}`)]);
      const parse = await control.prepare('SELECT json_serialize_sql($1::VARCHAR)');
      return new Sandbox(options, instance, control, parse);
    } catch (thrown) {
      instance.closeSync();
      throw thrown;
    }
  }

  /** What it may open has been decided, for good. */
  get isLocked(): boolean {
    return this.#lock !== null;
  }

  /** Further statements can have it. */
  get isLasting(): boolean {
    return this.#lock?.to === 'links';
  }

  /** Whether a statement with this limit for temporary files can have it, with its links. */
  takesLinks(tempBytesMax: number): boolean {
    return this.#lock === null || (this.#lock.to === 'links' && this.#lock.tempBytesMax === tempBytesMax);
  }

  /** The tree of a text, as JSON. Nothing is run. */
  async #serialize(sql: string): Promise<string> {
    this.#parse.bindVarchar(1, sql);
    const result = await this.#parse.run();
    const [columns] = await result.getColumns();
    return String(columns?.[0]);
  }

  /** From here on only these files can be opened and no setting changes. Everything is read back. */
  lockToFiles(files: readonly string[], tempBytesMax = this.options.tempBytesMax): Promise<void> {
    return this.#lockTo({ to: 'files', files, tempBytesMax });
  }

  /** The same for the links that `links` makes. Does nothing if that was done before. */
  async lockToLinks(tempBytesMax = this.options.tempBytesMax): Promise<void> {
    if (!this.isLasting) await this.#lockTo({ to: 'links', tempBytesMax });
  }

  async #lockTo(lock: Lock): Promise<void> {
    const files = lock.to === 'files' ? lock.files : [];
    const directories = lock.to === 'links' ? this.links.directories.map((each) => `${each}/`) : [];
    this.#lock = lock;
    await runAll(this.control, [
      `SET GLOBAL max_temp_directory_size = '${lock.tempBytesMax}B'`,
      `SET GLOBAL allowed_paths = ${list(files)}`,
      `SET GLOBAL allowed_directories = ${list(directories)}`,
      `SET GLOBAL allowed_configs = ${list(Object.keys(ofConnection))}`,
      'SET GLOBAL enable_external_access = false',
      'SET GLOBAL lock_configuration = true',
    ]);
    await this.#verify(files, directories);
  }

  async #verify(files: readonly string[], directories: readonly string[]): Promise<void> {
    const { analyticsPath, tempDirectory, threads } = this.options;
    const expected: Readonly<Record<string, string>> = {
      allow_community_extensions: 'false',
      allow_persistent_secrets: 'false',
      allow_unsigned_extensions: 'false',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      enable_external_access: 'false',
      enable_external_file_cache: 'false',
      enable_geoparquet_conversion: 'false',
      enable_logging: '0',
      lock_configuration: 'true',
      temp_directory: tempDirectory,
      threads: String(threads),
      TimeZone: 'UTC',
    };
    const lists: Readonly<Record<string, (have: ReadonlySet<string>) => boolean>> = {
      allowed_configs: (have) => areSame(have, Object.keys(ofConnection)),
      allowed_paths: (have) => allows(have, files, analyticsPath),
      // The engine adds the folder for temporary files by itself.
      allowed_directories: (have) => areSame(have, [...directories, `${resolved(tempDirectory)}/`]),
    };
    const names = [...Object.keys(expected), ...Object.keys(lists)];
    const reader = await this.control.runAndReadAll(
      `SELECT ${names.map((name) => `current_setting(${quoteText(name)})`).join(', ')}`,
    );
    const values = reader.getRowsJson()[0] ?? [];
    const wrong = names.filter((name, index) => {
      const value = values[index];
      if (name in expected) return String(value) !== expected[name];
      return !Array.isArray(value) || !lists[name]?.(new Set(value.map(String)));
    });
    if (wrong.length > 0)
      throw new FrameholdError('engine_failed', 'The engine did not take the settings of its sandbox.', {
        cause: new Error(`settings that differ: ${wrong.join(', ')}`),
      });
  }

  /** For one statement. The caller disconnects it, or gives it back. */
  async connect(): Promise<DuckDBConnection> {
    const kept = this.#connection;
    this.#connection = null;
    if (kept !== null) return kept;
    const connection = await this.#instance.connect();
    try {
      await runAll(
        connection,
        Object.entries(ofConnection).map(([name, value]) => `SET ${name} = ${value}`),
      );
      return connection;
    } catch (thrown) {
      connection.disconnectSync();
      throw thrown;
    }
  }

  /** After a statement that has left nothing in it, and has ended. */
  keepConnection(connection: DuckDBConnection): void {
    this.#connection?.disconnectSync();
    this.#connection = connection;
  }

  /** Takes away all that a statement was given: its tables, and the names of its files. */
  async wipe(): Promise<void> {
    this.links.remove();
    await this.dropTables();
  }

  /** Those that a statement made, and those that were left for it. */
  async dropTables(): Promise<void> {
    this.left.clear();
    await runAll(this.control, ['DETACH framehold', emptyCatalog]);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.links.remove();
    this.#connection?.disconnectSync();
    this.control.disconnectSync();
    this.#instance.closeSync();
  }
}

/** Tables of statements are in a database of their own, which can be taken away as a whole. */
const emptyCatalog = "ATTACH ':memory:' AS framehold";

function list(texts: readonly string[]): string {
  return `[${texts.map(quoteText).join(', ')}]`;
}

function areSame(have: ReadonlySet<string>, want: readonly string[]): boolean {
  return have.size === new Set(want).size && want.every((each) => have.has(each));
}

/** Exactly these files, and the database that was attached with what belongs to it, which the engine adds by itself. */
function allows(have: ReadonlySet<string>, files: readonly string[], attached: string | null): boolean {
  const want = new Set(files.map(resolved));
  const database = attached === null ? null : resolved(attached);
  const isAttached = (path: string) =>
    database !== null && (path === database || path.startsWith(`${database}.`));
  return (
    [...want].every((file) => have.has(file)) && [...have].every((path) => want.has(path) || isAttached(path))
  );
}

/** As the engine shows it: it follows symbolic links, in the directories above, too. */
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** In one call: each waits for a thread. The first that fails is reported, and those after it do not run. */
async function runAll(connection: DuckDBConnection, statements: readonly string[]): Promise<void> {
  await connection.run(statements.join(';\n'));
}
