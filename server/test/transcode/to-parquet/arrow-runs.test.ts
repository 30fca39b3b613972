import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BatchData } from '../../../src/arrow/arrays/array-data.ts';
import { readBatch } from '../../../src/arrow/batches/batch.ts';
import { Dictionaries } from '../../../src/arrow/batches/dictionaries.ts';
import type { Field } from '../../../src/arrow/field.ts';
import { parseMessage } from '../../../src/arrow/ipc/message.ts';
import { schemaOf } from '../../../src/arrow/schema/schema-record.ts';
import { splitStream } from '../../../src/parquet/ipc-piece.ts';
import { openArrowRuns } from '../../../src/transcode/to-parquet/arrow-runs.ts';
import { RowComparison } from '../../../src/transcode/to-parquet/row-comparison.ts';
import { runPython } from '../../support/python.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('runs');
await runPython([join(import.meta.dirname, '..', 'transcode-cases.py'), folder], null);
await runPython([join(import.meta.dirname, '..', 'pack-cases.py'), folder], null);
const signal = new AbortController().signal;

function batchesOf(stream: Uint8Array): BatchData[] {
  const { schemaHeader, pieces } = splitStream(stream);
  const schema = schemaOf(schemaHeader);
  const dictionaries = new Dictionaries(schema);
  const batches: BatchData[] = [];
  for (const { header, body } of pieces) {
    const message = parseMessage(header);
    if (message.kind === 'dictionary') dictionaries.add(message, body);
    if (message.kind === 'record-batch')
      batches.push(readBatch(schema.fields, message.batch, body, dictionaries.current()));
  }
  return batches;
}

/** The others never come back from Parquet with their type, so nothing compares them: of these the number of rows counts. */
function isComparable({ type }: Field): boolean {
  return !/view|union|run-end/.test(type.kind);
}

function onlyColumns({ length, columns }: BatchData, names: readonly string[]): BatchData {
  return { length, columns: columns.filter(({ field }) => names.includes(field.name)) };
}

/** A batch of these has rows of much more than a run, in buffers of which a run reads its part only. */
const runBytes = { bulk: 4096, other: 16 } as const;

for (const file of readdirSync(folder)) {
  test(`runs smaller than a batch give all of its rows: ${file}`, async () => {
    const path = join(folder, file);
    await using source = await openArrowRuns(path, file.startsWith('bulk_') ? runBytes.bulk : runBytes.other);
    const columns = [...source.schema.fields.entries()]
      .filter(([, field]) => isComparable(field))
      .map(([index]) => index);
    const decoded = new RowComparison(columns);
    const written = new RowComparison(columns);
    const given = source.schema.fields.map(({ name }) => name);
    for (const whole of batchesOf(readFileSync(path))) {
      const batch = source.isPartial ? onlyColumns(whole, given) : whole;
      decoded.expect(batch);
      written.expect(batch);
    }
    for await (const run of source.runs(signal)) {
      for (const batch of run.batches) assert.equal(decoded.compare(batch), null);
      for (const batch of batchesOf(run.stream)) assert.equal(written.compare(batch), null);
    }
    assert.equal(decoded.end(), null);
    assert.equal(written.end(), null);
  });
}
