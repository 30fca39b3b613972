import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FrameholdError } from '../../src/model/errors.ts';
import type { CsvOptions, DecodeRequest, UploadFormat } from '../../src/ports/codec.ts';
import { runPython } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** One upload and what pyarrow reads from the Arrow stream made of it, or the error. */
export interface TextCase {
  readonly name: string;
  readonly input: string | Uint8Array;
  readonly options?: CsvOptions;
  /** Column types as pyarrow names them, in order; rows as Python writes them. */
  readonly expect?: {
    readonly types: readonly string[];
    readonly rows: string;
    readonly names?: readonly string[];
  };
  readonly error?: { readonly kind: string; readonly text: RegExp };
}

const readAll = `
import json, sys
import pyarrow as pa
answers = []
for path in json.load(sys.stdin):
    table = pa.ipc.open_stream(path).read_all()
    table.validate(full=True)
    rows = [tuple(column[i].as_py() for column in table.columns) for i in range(table.num_rows)]
    if any(pa.types.is_timestamp(f.type) and f.type.unit == 'ns' for f in table.schema):
        rows = [tuple(column[i].value if pa.types.is_timestamp(column.type) and column[i].is_valid else column[i].as_py() for column in table.columns) for i in range(table.num_rows)]
    answers.append({'types': [str(f.type) for f in table.schema], 'names': table.schema.names, 'rows': repr(rows)})
print(json.dumps(answers))
`;

interface Answer {
  readonly types: readonly string[];
  readonly names: readonly string[];
  readonly rows: string;
}

/** Decodes every case, lets pyarrow read the results in one go, and has one test for each. */
export async function testTextCases(
  format: UploadFormat,
  decode: (request: DecodeRequest, signal: AbortSignal) => Promise<unknown>,
  cases: readonly TextCase[],
): Promise<void> {
  const folder = temporaryFolder(format);
  const outcomes: (string | FrameholdError)[] = [];
  for (const [index, { input, options }] of cases.entries()) {
    const source = join(folder, `${index}.in`);
    const target = join(folder, `${index}.arrows`);
    writeFileSync(source, input);
    try {
      await decode({ format, source, target, csv: options ?? {} }, new AbortController().signal);
      outcomes.push(target);
    } catch (thrown) {
      if (!(thrown instanceof FrameholdError)) throw thrown;
      outcomes.push(thrown);
    }
  }
  const paths = outcomes.filter((outcome) => typeof outcome === 'string');
  const read = (await runPython(['-c', readAll], paths)) as Answer[];
  const answers = new Map(paths.map((path, index) => [path, read[index] as Answer]));
  for (const [index, { name, expect, error }] of cases.entries()) {
    test(`${format}: ${name}`, () => {
      const outcome = outcomes[index] as string | FrameholdError;
      if (outcome instanceof FrameholdError) {
        assert.ok(error !== undefined, `refused: ${outcome.message}`);
        assert.equal(outcome.kind, error.kind);
        assert.match(outcome.message, error.text);
        return;
      }
      const answer = answers.get(outcome) as Answer;
      assert.ok(expect !== undefined, `accepted: ${JSON.stringify(answer)}`);
      assert.deepEqual(answer.types, expect.types);
      assert.equal(answer.rows, expect.rows);
      if (expect.names !== undefined) assert.deepEqual(answer.names, expect.names);
    });
  }
}
