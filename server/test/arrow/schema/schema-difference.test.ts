import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Field, Schema } from '../../../src/arrow/field.ts';
import { compareSchemas, widenSchema } from '../../../src/arrow/schema/schema-difference.ts';
import { encodedField, fieldOf, int64, utf8 } from '../hand-made.ts';

function schemaOf(...fields: Field[]): Schema {
  return { fields, metadata: [] };
}

function named(field: Field, name: string): Field {
  return { ...field, name };
}

const fine = { difference: null, widened: false, dictionaryIdsDiffer: false };

describe('schemas for an append', () => {
  it('are the same if names, order and types are', () => {
    const base = schemaOf(fieldOf(int64), named(fieldOf(utf8), 'd'));
    assert.deepEqual(compareSchemas(base, base), fine);
    const described = {
      fields: base.fields.map((field): Field => ({ ...field, metadata: [['a', 'b']] })),
      metadata: [],
    };
    assert.deepEqual(compareSchemas(base, described), fine);
    const item = (name: string) =>
      schemaOf(fieldOf({ kind: 'list', large: false }, [named(fieldOf(int64), name)]));
    assert.deepEqual(compareSchemas(item('item'), item('element')), fine);
  });

  it('say how they differ', () => {
    const difference = (base: Schema, added: Schema) => compareSchemas(base, added).difference ?? '';
    const one = schemaOf(fieldOf(int64));
    assert.match(difference(one, schemaOf()), /1 columns before, 0 now/);
    assert.match(difference(one, schemaOf(named(fieldOf(int64), 'x'))), /column 1 was "c", now "x"/);
    assert.match(difference(one, schemaOf(fieldOf(utf8))), /column "c": was int64, now utf8/);
    assert.match(
      difference(schemaOf(fieldOf(utf8)), schemaOf(encodedField(utf8))),
      /now dictionary<utf8, int8>/,
    );
    const struct = (child: Field) => schemaOf(fieldOf({ kind: 'struct' }, [child]));
    assert.match(difference(struct(fieldOf(int64)), struct(fieldOf(utf8))), /inside "c": was int/);
    assert.match(
      difference(struct(fieldOf(int64)), struct(named(fieldOf(int64), 'z'))),
      /field 1 inside was "c", now "z"/,
    );
    const zone = (zone: string | null) => schemaOf(fieldOf({ kind: 'timestamp', unit: 'us', zone }));
    assert.match(difference(zone(null), zone('UTC')), /was timestamp\[us\], now timestamp\[us, UTC\]/);
    const uuid: Field = {
      ...fieldOf({ kind: 'fixed-binary', width: 16 }),
      metadata: [['ARROW:extension:name', 'arrow.uuid']],
    };
    assert.match(
      difference(schemaOf(uuid), schemaOf({ ...uuid, metadata: [] })),
      /was arrow\.uuid, now no extension/,
    );
  });

  it('widen to nullable, also inside, and never narrow', () => {
    const strict: Field = { ...fieldOf(int64), nullable: false };
    const list = (child: Field) => fieldOf({ kind: 'list', large: false }, [child]);
    assert.deepEqual(compareSchemas(schemaOf(fieldOf(int64)), schemaOf(strict)), fine);
    assert.equal(compareSchemas(schemaOf(strict), schemaOf(fieldOf(int64))).widened, true);
    const base = schemaOf(strict, list(strict));
    const added = schemaOf(fieldOf(int64), list(fieldOf(int64)));
    assert.equal(compareSchemas(base, added).widened, true);
    assert.deepEqual(widenSchema(base, added), added);
    assert.deepEqual(widenSchema(added, base), added);
  });

  it('report other dictionary ids, and refuse those that no renumbering joins', () => {
    const pair = (first: bigint, second: bigint) =>
      schemaOf(encodedField(utf8, { id: first }), named(encodedField(utf8, { id: second }), 'd'));
    assert.deepEqual(compareSchemas(pair(0n, 1n), pair(0n, 1n)), fine);
    assert.deepEqual(compareSchemas(pair(0n, 1n), pair(1n, 0n)), { ...fine, dictionaryIdsDiffer: true });
    assert.match(compareSchemas(pair(0n, 0n), pair(0n, 1n)).difference ?? '', /shared one dictionary/);
    assert.match(compareSchemas(pair(0n, 1n), pair(0n, 0n)).difference ?? '', /shared one dictionary/);
  });
});
