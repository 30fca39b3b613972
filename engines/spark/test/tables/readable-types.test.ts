/** The table of types without a Spark: what it says agrees with transcoding and with the reference page. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Field } from '../../../../server/src/arrow/field.ts';
import { parseMessage } from '../../../../server/src/arrow/ipc/message.ts';
import { extensionName } from '../../../../server/src/arrow/schema/schema-difference.ts';
import { nestedTypeText } from '../../../../server/src/arrow/schema/type-text.ts';
import { firstHeader } from '../../../../server/src/parquet/ipc-piece.ts';
import { writableColumns } from '../../../../server/src/transcode/to-parquet/writable-columns.ts';
import { repositoryRoot } from '../../../../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../../../../server/test/support/temporary-folder.ts';
import { readingOf } from '../../src/tables/readable-types.ts';
import { caseStreams } from './type-cases.ts';

const folder = temporaryFolder('spark-readings');
after(() => removeFolder(folder));
const sources = await caseStreams(folder);
const document = join(repositoryRoot, 'docs', 'reference', 'spark-types.md');

const schemas = readdirSync(sources).map((file) => {
  const message = parseMessage(firstHeader(readFileSync(join(sources, file))));
  assert.equal(message.kind, 'schema');
  return message.schema;
});

test('a column that is not in the Parquet form is never read: Spark would take it for nulls', () => {
  let absent = 0;
  for (const schema of schemas) {
    const written = writableColumns(schema);
    if (written === null) continue;
    for (const [index, field] of schema.fields.entries()) {
      if (written.columns.includes(index)) continue;
      absent += 1;
      assert.equal(readingOf(field).kind, 'unreadable', nestedTypeText(field));
    }
  }
  assert.ok(absent > 5, `${absent} columns`);
});

test('the reference page has the table', () => {
  const written = readFileSync(document, 'utf8');
  const wanted = written.replace(
    /(<!-- begin: made by [^\n]*readable-types[^\n]* -->\n)[\s\S]*?(<!-- end -->)/,
    (_, begin, end) => `${begin}${typeTable(schemas.flatMap(({ fields }) => fields))}${end}`,
  );
  if (process.env.UPDATE_DOCS === '1') writeFileSync(document, wanted);
  else assert.equal(written, wanted, 'run UPDATE_DOCS=1 npm test -- spark/tables/readable-types');
});

/** Each type once. Nested ones are left out, because they follow from what they hold. */
function typeTable(fields: readonly Field[]): string {
  const lines = new Map<string, string>();
  for (const field of fields) {
    if (field.children.length > 0 || field.dictionary !== null) continue;
    const extension = extensionName(field.metadata);
    const text = extension === null ? nestedTypeText(field) : `${extension} (${nestedTypeText(field)})`;
    const reading = readingOf(field);
    const label = reading.kind === 'unreadable' ? text : anyOf(text);
    const [type, how] =
      reading.kind === 'unreadable'
        ? ['not read', reading.reason]
        : [`\`${reading.sqlType.replace(digits, '(p,s)')}\``, reading.how];
    lines.set(label, `| ${label} | ${type} | ${how} |`);
  }
  const sorted = [...lines.keys()].sort().map((label) => lines.get(label));
  return ['| Arrow type | in Spark SQL | how |', '|---|---|---|', ...sorted, ''].join('\n');
}

const digits = /\([0-9]+, ?[0-9]+\)/;

/** Digits, zones and widths do not matter for what is read. */
function anyOf(text: string): string {
  if (text.startsWith('arrow.')) return text;
  return text
    .replace(digits, '(p, s), p ≤ 38')
    .replace(/, [^\]]+\]$/, ', zone]')
    .replace(/\[[0-9]+\]$/, '[n]');
}
