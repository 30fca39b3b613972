/** The plan of a view without a Spark: where it reads, as what, and what decides how the session reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJsonString } from '@bufbuild/protobuf';
import type { Field } from '../../../../server/src/arrow/field.ts';
import { encodeSchema } from '../../../../server/src/arrow/ipc/schema-encoder.ts';
import type { EngineTable } from '../../../../server/src/ports/engine.ts';
import { fieldOf, int64, utf8 } from '../../../../server/test/arrow/hand-made.ts';
import { PlanSchema } from '../../src/connect/gen/spark/connect/base_pb.js';
import { settingsFor, vectorizedKey } from '../../src/tables/table-settings.ts';
import { tableView } from '../../src/tables/table-view.ts';

const double: Field['type'] = { kind: 'float', bits: 64 };

function tableOf(files: readonly string[], ...fields: readonly Field[]): EngineTable {
  return { name: 'trades', schemaMessage: encodeSchema({ fields, metadata: [] }), files };
}

const named = (name: string, type: Field['type']): Field => ({ ...fieldOf(type), name });
const planOf = (table: EngineTable) => JSON.parse(toJsonString(PlanSchema, tableView('fh_0', table)));

test('a view belongs to its session and replaces nothing', () => {
  const { command } = planOf(tableOf(['file:///a.parquet'], named('n', int64)));
  const { name, isGlobal = false, replace = false } = command.createDataframeView;
  assert.deepEqual({ name, isGlobal, replace }, { name: 'fh_0', isGlobal: false, replace: false });
});

test('names of columns are in the schema and in aliases, never in what Spark parses', () => {
  const hostile = '`); DROP VIEW fh_0; --';
  const { project } = planOf(tableOf(['file:///a.parquet'], named(hostile, utf8))).command.createDataframeView
    .input;
  const [{ alias }] = project.expressions;
  assert.deepEqual(alias, { expr: { unresolvedAttribute: { unparsedIdentifier: 'c0' } }, name: [hostile] });
  const { dataSource } = project.input.toDf.input.read;
  assert.deepEqual(JSON.parse(dataSource.schema).fields, [
    { name: hostile, type: 'string', nullable: true, metadata: {} },
  ]);
  assert.deepEqual(dataSource.paths, ['file:///a.parquet']);
});

test('an address that Spark would take for a pattern is refused', () => {
  for (const character of '[]{}*?\\')
    assert.throws(
      () => tableView('fh_0', tableOf([`s3a://bucket/a${character}b/x.parquet`], named('n', int64))),
      {
        kind: 'not_representable',
      },
    );
});

test('a frame without columns is refused', () => {
  assert.throws(() => tableView('fh_0', tableOf([])), { kind: 'column_not_readable' });
});

test('a floating-point column of any table makes the session read row by row', () => {
  const plain = tableOf([], named('n', int64));
  const floats = tableOf([], named('n', int64), named('x', double));
  const list: Field = { ...named('l', { kind: 'list', large: false }), children: [named('item', double)] };
  assert.deepEqual(settingsFor([plain]), { [vectorizedKey]: 'true' });
  assert.deepEqual(settingsFor([plain, floats]), { [vectorizedKey]: 'false' });
  // Inside of lists they have a common encoding.
  assert.deepEqual(settingsFor([tableOf([], list)]), { [vectorizedKey]: 'true' });
});
