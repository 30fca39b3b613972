import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { headerBytesOf, prefixBytes } from '../../src/arrow/ipc/framing.ts';
import { parseMessage } from '../../src/arrow/ipc/message.ts';
import { describeColumn } from '../../src/arrow/schema/column-types.ts';
import type { Column } from '../../src/model/version.ts';
import type { PartSource, Reading } from '../../src/ports/reading.ts';
import { runPython } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The texts of a frame's cells, by row, as make-frames.py computed them. */
interface Expected {
  readonly columns: readonly Column[];
  readonly json: readonly (readonly string[])[];
  readonly ndjson: readonly (readonly string[])[];
  readonly csv: readonly (readonly string[])[];
}

export interface SampleFrames {
  readonly folder: string;
  path(name: string): string;
  expected(name: string): Expected;
  /** Frames with expected texts. */
  readonly names: readonly string[];
}

/** Frames of every type, written by pyarrow for this test process. */
export async function sampleFrames(): Promise<SampleFrames> {
  const folder = temporaryFolder('frames');
  await runPython([join(import.meta.dirname, 'make-frames.py'), folder], null);
  const names = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return {
    folder,
    path: (name) => join(folder, `${name}.arrows`),
    expected: (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Expected,
    names: names.map((file) => file.slice(0, -'.json'.length)).sort(),
  };
}

export interface ReadingChoice {
  readonly columns?: readonly number[];
  readonly offset?: number;
  readonly rowCount?: number;
  /** Read these Parquet files in place of the Arrow file. */
  readonly parquet?: readonly string[];
}

/** A reading of files that hold the same schema, one part each. */
export function readingOf(paths: readonly string[], choice: ReadingChoice = {}): Reading {
  const first = readFileSync(paths[0] as string);
  const headerBytes = headerBytesOf(new DataView(first.buffer, first.byteOffset, prefixBytes), 0);
  const header = new Uint8Array(first.subarray(prefixBytes, prefixBytes + headerBytes));
  const message = parseMessage(header);
  if (message.kind !== 'schema') throw new Error('not a schema');
  const rowsOf = new Map([...new Set(paths)].map((path) => [path, countRows(path)]));
  const sources: PartSource[] = paths.map((path) => ({
    rows: rowsOf.get(path) as number,
    kind: choice.parquet === undefined ? 'arrow' : 'parquet',
    paths: choice.parquet ?? [path],
  }));
  const rows = sources.reduce((sum, source) => sum + source.rows, 0);
  const offset = choice.offset ?? 0;
  return {
    record: {
      tenant: 'default',
      name: 'sample',
      version: 1,
      versionId: 'sample-1',
      frameId: 'sample',
      createdAt: 0,
      expiresAt: null,
      rows,
      bytes: first.length,
      partCount: paths.length,
      origin: { kind: 'upload', format: 'arrow' },
      schema: { hash: '', message: header, columns: message.schema.fields.map(describeColumn) },
    },
    sources,
    columns: choice.columns ?? null,
    offset,
    rowCount: choice.rowCount ?? rows - offset,
    release() {},
  };
}

function countRows(path: string): number {
  const bytes = readFileSync(path);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let rows = 0;
  for (let position = 0; ; ) {
    const headerBytes = headerBytesOf(view, position);
    if (headerBytes === 0) return rows;
    const message = parseMessage(
      bytes.subarray(position + prefixBytes, position + prefixBytes + headerBytes),
    );
    if (message.kind === 'record-batch') rows += message.batch.length;
    position += prefixBytes + headerBytes + message.bodyBytes;
  }
}

export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
