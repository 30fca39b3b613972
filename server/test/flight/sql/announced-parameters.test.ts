import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArrowType, Field } from '../../../src/arrow/field.ts';
import { encodeSchema } from '../../../src/arrow/ipc/schema-encoder.ts';
import { nestedTypeText } from '../../../src/arrow/schema/type-text.ts';
import { schemaOf } from '../../../src/encode/rows/arrow-steps.ts';
import { announcedParameters } from '../../../src/flight/sql/announced-parameters.ts';

const field = (type: ArrowType, children: readonly Field[] = []): Field => ({
  name: 'p',
  type,
  nullable: true,
  children,
  dictionary: null,
  metadata: [],
});

test('times are announced in milliseconds and integers with 64 bits, as the JDBC driver writes them', () => {
  const fields = [
    field({ kind: 'timestamp', unit: 'us', zone: null }),
    field({ kind: 'timestamp', unit: 'ns', zone: 'UTC' }),
    field({ kind: 'time', bits: 64, unit: 'us' }),
    field({ kind: 'list', large: false }, [field({ kind: 'timestamp', unit: 's', zone: null })]),
    field({ kind: 'int', bits: 8, signed: true }),
    field({ kind: 'int', bits: 32, signed: false }),
    field({ kind: 'int', bits: 64, signed: false }),
    field({ kind: 'utf8', large: false }),
  ];
  const announced = schemaOf(announcedParameters(encodeSchema({ fields, metadata: [] })));
  assert.deepEqual(announced.fields.map(nestedTypeText), [
    'timestamp[ms]',
    'timestamp[ms, UTC]',
    'time32[ms]',
    'list<timestamp[ms]>',
    'int64',
    'int64',
    'uint64',
    'utf8',
  ]);
});
