import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckdbStatement } from '../../../src/engine/duckdb/duckdb-statement.ts';
import type { SandboxOptions } from '../../../src/engine/duckdb/sandbox.ts';
import { firstHeader, joinStream } from '../../../src/parquet/ipc-piece.ts';
import type { BoundStatement, EngineTable, StatementParameters } from '../../../src/ports/engine.ts';
import { transcodePart } from '../../../src/transcode/to-parquet/transcode-part.ts';

export function sandboxOptions(folder: string, more: Partial<SandboxOptions> = {}): SandboxOptions {
  const tempDirectory = join(folder, 'engine-temp');
  mkdirSync(tempDirectory, { recursive: true });
  return {
    threads: 2,
    memoryBytes: 256 * 1024 ** 2,
    tempDirectory,
    tempBytesMax: 1024 ** 3,
    analyticsPath: null,
    ...more,
  };
}

/** Transcodes the Arrow stream of a file as the server does; the table that the engine gets. */
export async function transcodedTable(
  name: string,
  source: string,
  targetDirectory: string,
): Promise<EngineTable> {
  const bytes = readFileSync(source);
  const report = await transcodePart(
    {
      source,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      targetDirectory,
      targetPrefix: `${name}.`,
    },
    { algorithm: 'zstd', level: 3 },
    new AbortController().signal,
  );
  if (report.refusal !== null) throw new Error(`${name}: ${report.refusal}`);
  return { name, schemaMessage: firstHeader(bytes), files: report.files.map((file) => file.path) };
}

export interface RunRequest {
  readonly sql: string;
  readonly options: SandboxOptions;
  /** Those that the statement names are given. */
  readonly tables?: readonly EngineTable[];
  readonly insertInto?: Uint8Array;
  readonly parameters?: StatementParameters;
}

/** From the text to the rows, as the pool does it. */
export async function runStatement(
  request: RunRequest,
): Promise<{ readonly bound: BoundStatement; readonly stream: Uint8Array }> {
  const statement = await DuckdbStatement.begin(request.sql, request.options, 'acme');
  try {
    const { tables: named, upstreamQueries } = statement.shape;
    const wanted = [...named, ...upstreamQueries.map((_, index) => `tsdb:${index}`)];
    const tables = wanted.flatMap((name) => {
      const table = request.tables?.find((each) => each.name.toLowerCase() === name.toLowerCase());
      return table === undefined ? [] : [{ ...table, name }];
    });
    const bound = await statement.bind({
      tables,
      insertInto: request.insertInto ?? null,
      parameters: request.parameters ?? null,
    });
    const pieces = [];
    for await (const { header, body, release } of statement.run(request.parameters ?? null)) {
      pieces.push({ header, body: Buffer.concat(body) });
      release();
    }
    return { bound, stream: joinStream(bound.schemaMessage, pieces) };
  } finally {
    await statement.close();
  }
}
