import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { extensionName } from '../../../../src/arrow/schema/schema-difference.ts';
import { nestedTypeText } from '../../../../src/arrow/schema/type-text.ts';
import { schemaOf } from '../../../../src/engine/duckdb/tables/table-view.ts';
import { readingOf } from '../../../../src/engine/duckdb/types/readable-types.ts';
import type { FrameholdError } from '../../../../src/model/errors.ts';
import { firstHeader } from '../../../../src/parquet/ipc-piece.ts';
import { runPython } from '../../../support/python.ts';
import { repositoryRoot } from '../../../support/repository.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { runStatement, sandboxOptions, transcodedTable } from '../statement-runs.ts';

const folder = temporaryFolder('readable');
const sources = join(folder, 'sources');
const parquet = join(folder, 'a=1', 'it\'s [a] "place"');
const emptied = join(folder, 'emptied');
mkdirSync(sources);
mkdirSync(emptied);
mkdirSync(parquet, { recursive: true });
await runPython(
  [join(import.meta.dirname, '..', '..', '..', 'transcode', 'transcode-cases.py'), sources],
  null,
);
await runPython([join(import.meta.dirname, 'readable-cases.py'), sources], null);
const options = sandboxOptions(folder);
const document = join(repositoryRoot, 'docs', 'reference', 'sql.md');

/** Values that Parquet cannot hold: there is no file, or one without that column; the cases named refused_ have such columns. */
const notInParquet = /^(partial|union_|interval$|struct_empty$|no_columns$|many_columns$)/;
/** Values that no type can hold: times beyond the years that microseconds reach. */
const beyond = /^(timestamp_(s|ms)(_.*)?|duration_(s|ms))$/;
/** Columns that are not read at all, by type. */
const unreadable: Readonly<Record<string, string>> = {
  decimal256: 'decimal256(76, 10)',
  timestamp_ns_utc: 'timestamp[ns, UTC]',
  timestamp_ns_zone: 'timestamp[ns, Europe/Berlin]',
  timestamp_ns_offset: 'timestamp[ns, +05:30]',
  duration_ns: 'duration[ns]',
  refused_timestamp_ns_zone: 'timestamp[ns, UTC]',
  refused_list_of_timestamp_ns_zone: 'list<timestamp[ns, UTC]>',
  refused_decimal256: 'decimal256(39, 2)',
  refused_date64_with_time: 'date64',
  refused_duration_ns_odd: 'duration[ns]',
  refused_interval: 'interval[month-day-nano]',
  refused_struct_empty: 'struct<>',
  refused_dictionary_of_interval: 'dictionary<int8, interval[month-day-nano]>',
  refused_negative_scale: 'decimal128(10, -2)',
  refused_union: 'sparse_union<"0": int64, "1": utf8>',
  refused_twice: 'interval[month-day-nano]',
  refused_struct_same_names: 'struct<"a": int64, "A": int64>',
};

const names = readdirSync(sources)
  .map((file) => file.replace('.arrows', ''))
  .filter((name) => !notInParquet.test(name));
const results: Record<string, string> = {};

/** Each type once: what it is in SQL, and in a result that selects it. */
function typeTable(types: Readonly<Record<string, readonly string[]>>): string {
  const lines = new Map<string, string>();
  for (const name of names) {
    const field = schemaOf(firstHeader(readFileSync(join(sources, `${name}.arrows`)))).fields.find(
      (each) => each.name === 'v',
    );
    if (field === undefined) continue;
    const reading = readingOf(field);
    const extension = extensionName(field.metadata);
    const label = extension === null ? nestedTypeText(field) : `${extension} (${nestedTypeText(field)})`;
    const result = types[name]?.[0];
    if (reading.kind === 'unreadable') lines.set(label, `| ${label} | not read: ${reading.reason} | |`);
    else if (result !== undefined) lines.set(label, `| ${label} | ${reading.sqlType} | ${result} |`);
  }
  const sorted = [...lines.keys()].sort().map((label) => lines.get(label));
  return ['| Arrow type | in SQL | in a result |', '|---|---|---|', ...sorted, ''].join('\n');
}

function tableOf(name: string) {
  return transcodedTable(name, join(sources, `${name}.arrows`), parquet);
}

for (const name of names) {
  const type = unreadable[name];
  test(`SQL reads ${name}`, async () => {
    const request = { sql: `SELECT * FROM "${name}"`, options, tables: [await tableOf(name)] };
    if (type !== undefined) {
      await assert.rejects(runStatement(request), (error: FrameholdError) => {
        assert.equal(error.kind, 'column_not_readable');
        assert.ok(error.message.includes(`(${type})`), error.message);
        assert.match(error.hint ?? '', /SELECT \* EXCLUDE \("v".*\)/);
        return true;
      });
      if (name.startsWith('refused_')) {
        await runStatement({ ...request, sql: `SELECT ok, count(*) FROM "${name}" GROUP BY ok` });
        await runStatement({ ...request, sql: `SELECT * EXCLUDE ("v") FROM (SELECT ok, v FROM "${name}")` });
      }
      return;
    }
    if (beyond.test(name)) {
      await assert.rejects(runStatement(request), (error: FrameholdError) => error.kind === 'sql_failed');
      return;
    }
    const { stream } = await runStatement(request);
    results[name] = join(folder, `${name}.out`);
    writeFileSync(results[name], stream);
  });
}

test('every value that SQL reads is the one that was put', async () => {
  const read = Object.keys(results);
  assert.ok(read.length > 90, `${read.length} frames`);
  const sourcePaths = Object.fromEntries(read.map((name) => [name, join(sources, `${name}.arrows`)]));
  const { differing, types } = (await runPython([join(import.meta.dirname, 'readable-compare.py')], {
    names: read,
    sources: sourcePaths,
    results,
  })) as { differing: Record<string, string>; types: Record<string, string[]> };
  assert.deepEqual(differing, {});
  const written = readFileSync(document, 'utf8');
  const wanted = written.replace(
    /(<!-- begin: made by [^\n]*readable-types[^\n]* -->\n)[\s\S]*?(<!-- end -->)/,
    (_, begin, end) => `${begin}${typeTable(types)}${end}`,
  );
  if (process.env.UPDATE_DOCS === '1') writeFileSync(document, wanted);
  else assert.equal(written, wanted, 'run UPDATE_DOCS=1 npm run test:unit readable-types');
});

test('a table without files has its columns and no rows', async () => {
  for (const name of ['struct_in_list', 'near_date64', 'list_of_uuid', 'refused_decimal256']) {
    const whole = await transcodedTable(name, join(sources, `${name}.arrows`), emptied);
    const sql = `SELECT count(*), count(v) FROM "${name}"`;
    const { stream } = await runStatement({ sql, options, tables: [{ ...whole, files: [] }] });
    assert.ok(stream.length > 0);
  }
});
