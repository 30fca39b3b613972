import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { FrameholdError } from '../../frames/errors.ts';
import { quoteText } from './sql-tokens.ts';

/** What an instance may use. */
export interface SandboxOptions {
  readonly threads: number;
  readonly memoryBytes: number;
  /** Only for this process. */
  readonly tempDirectory: string;
  readonly tempBytesMax: number;
  /** A database file that statements may read as `analytics`; made if it is not there. */
  readonly analyticsPath: string | null;
}

/** Rows that the engine makes ahead of its reader: fewer, larger steps cost less than the default of 1 MB. */
const streamAheadBytes = 16_000_000;

/** Short statements end before the engine begins to work out how far they are. */
const progressAfterMs = 200;

/** One instance of DuckDB for one statement. Until it is locked it only parses; once it is, it reaches its files and nothing else. */
export class Sandbox {
  readonly #instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
  readonly #options: SandboxOptions;
  #closed = false;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, options: SandboxOptions) {
    this.#instance = instance;
    this.connection = connection;
    this.#options = options;
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
      const connection = await instance.connect();
      const settings = [
        // As an option of the instance it would be shown, and not kept.
        `max_temp_directory_size = '${options.tempBytesMax}B'`,
        "TimeZone = 'UTC'",
        // Files do not change while a statement reads them: their footers are read once.
        'parquet_metadata_cache = true',
        // What a frame's metadata says about geometries must not change its columns.
        'enable_geoparquet_conversion = false',
      ];
      await runAll(connection, [
        "ATTACH ':memory:' AS framehold",
        'USE framehold',
        ...settings.map((setting) => `SET GLOBAL ${setting}`),
        `SET streaming_buffer_size = '${streamAheadBytes}B'`,
        // The engine works out how far a statement is only if it would show a bar.
        'SET enable_progress_bar = true',
        'SET enable_progress_bar_print = false',
        `SET progress_bar_time = ${progressAfterMs}`,
      ]);
      return new Sandbox(instance, connection, options);
    } catch (thrown) {
      instance.closeSync();
      throw thrown;
    }
  }

  /** From here on only these files can be opened and no setting changes. Everything is read back. */
  async lock(files: readonly string[], tempBytesMax = this.#options.tempBytesMax): Promise<void> {
    const { connection } = this;
    await runAll(connection, [
      `SET GLOBAL max_temp_directory_size = '${tempBytesMax}B'`,
      `SET GLOBAL allowed_paths = [${files.map(quoteText).join(', ')}]`,
      'SET GLOBAL allowed_directories = []',
      'SET GLOBAL allowed_configs = []',
      'SET GLOBAL enable_external_access = false',
      'SET GLOBAL lock_configuration = true',
    ]);
    await this.#verify(files);
  }

  async #verify(files: readonly string[]): Promise<void> {
    const expected: Readonly<Record<string, string>> = {
      allow_community_extensions: 'false',
      allow_persistent_secrets: 'false',
      allow_unsigned_extensions: 'false',
      allowed_configs: '[]',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      enable_external_access: 'false',
      enable_geoparquet_conversion: 'false',
      enable_logging: '0',
      lock_configuration: 'true',
      temp_directory: this.#options.tempDirectory,
      threads: String(this.#options.threads),
      TimeZone: 'UTC',
    };
    const names = [...Object.keys(expected), 'allowed_paths', 'allowed_directories'];
    const reader = await this.connection.runAndReadAll(
      `SELECT ${names.map((name) => `current_setting(${quoteText(name)})`).join(', ')}`,
    );
    const values = reader.getRowsJson()[0] ?? [];
    const wrong = names.filter((name, index) => {
      const value = values[index];
      if (name === 'allowed_paths') return !allows(value, files, this.#options.analyticsPath);
      // The engine adds the folder for temporary files by itself.
      if (name === 'allowed_directories') return !withinTemp(value, this.#options.tempDirectory);
      const text = Array.isArray(value) ? JSON.stringify(value) : String(value);
      return text !== expected[name];
    });
    if (wrong.length > 0)
      throw new FrameholdError('engine_failed', 'The engine did not take the settings of its sandbox.', {
        cause: new Error(`settings that differ: ${wrong.join(', ')}`),
      });
  }

  /** From 0 to 1; null if nothing runs or the engine cannot estimate it: then it says 0 or -1. */
  progress(): number | null {
    if (this.#closed) return null;
    const { percentage } = this.connection.progress;
    return percentage > 0 && percentage <= 100 ? percentage / 100 : null;
  }

  interrupt(): void {
    if (!this.#closed) this.connection.interrupt();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.connection.disconnectSync();
    this.#instance.closeSync();
  }
}

/** Exactly these files, and the database that was attached with what belongs to it, which the engine adds by itself. */
function allows(value: unknown, files: readonly string[], attached: string | null): boolean {
  if (!Array.isArray(value)) return false;
  const have = new Set(value.map(String));
  const want = new Set(files);
  const isAttached = (path: string) =>
    attached !== null && (path === attached || path.startsWith(`${attached}.`));
  return (
    [...want].every((file) => have.has(file)) && [...have].every((path) => want.has(path) || isAttached(path))
  );
}

function withinTemp(value: unknown, tempDirectory: string): boolean {
  return Array.isArray(value) && value.every((each) => String(each).replace(/\/$/, '') === tempDirectory);
}

/** In one call: each waits for a thread. The first that fails is reported, and those after it do not run. */
async function runAll(connection: DuckDBConnection, statements: readonly string[]): Promise<void> {
  await connection.run(statements.join(';\n'));
}
