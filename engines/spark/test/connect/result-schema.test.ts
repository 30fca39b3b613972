import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { typeText } from '../../../../server/src/arrow/schema/type-text.ts';
import { DataTypeSchema } from '../../src/connect/gen/spark/connect/types_pb.js';
import { resultSchema } from '../../src/connect/result-schema.ts';

type Kind = NonNullable<MessageInitShape<typeof DataTypeSchema>['kind']>;

function structOf(...kinds: readonly Kind[]) {
  const fields = kinds.map((kind, index) => ({
    name: `c${index}`,
    dataType: { kind },
    nullable: index % 2 === 0,
  }));
  return create(DataTypeSchema, { kind: { case: 'struct', value: { fields } } });
}

test('a plan of plain types has the Arrow types that Spark sends', () => {
  const { fields } = resultSchema(
    structOf(
      { case: 'long', value: {} },
      { case: 'decimal', value: { precision: 38, scale: 10 } },
      { case: 'timestamp', value: {} },
      { case: 'timestampNtz', value: {} },
      { case: 'string', value: { collation: 'UTF8_LCASE' } },
    ),
    'UTC',
  );
  assert.deepEqual(
    fields.map((field) => [field.name, typeText(field), field.nullable]),
    [
      ['c0', typeText({ ...base, type: { kind: 'int', bits: 64, signed: true } }), true],
      ['c1', typeText({ ...base, type: { kind: 'decimal', bits: 128, precision: 38, scale: 10 } }), false],
      ['c2', typeText({ ...base, type: { kind: 'timestamp', unit: 'us', zone: 'UTC' } }), true],
      ['c3', typeText({ ...base, type: { kind: 'timestamp', unit: 'us', zone: null } }), false],
      ['c4', typeText({ ...base, type: { kind: 'utf8', large: false } }), true],
    ],
  );
});

const base = { name: '', nullable: true, children: [], dictionary: null, metadata: [] } as const;

test('two columns may have one name, two fields of a struct may not', () => {
  const twice = ['a', 'a'].map((name) => ({
    name,
    dataType: { kind: { case: 'long', value: {} } as const },
  }));
  const columns = create(DataTypeSchema, { kind: { case: 'struct', value: { fields: twice } } });
  assert.deepEqual(
    resultSchema(columns, 'UTC').fields.map(({ name }) => name),
    ['a', 'a'],
  );
  const nested = structOf({
    case: 'array',
    value: { elementType: { kind: { case: 'struct', value: { fields: twice } } } },
  });
  assert.throws(() => resultSchema(nested, 'UTC'), {
    kind: 'not_representable',
    message: 'The column "c0" contains a struct with two fields of the name "a".',
  });
});

test('a type that Arrow does not have is refused by its name and its column', () => {
  for (const kind of ['variant', 'geometry', 'geography'] as const)
    assert.throws(
      () =>
        resultSchema(
          structOf({
            case: 'map',
            value: {
              keyType: { kind: { case: 'string', value: {} } },
              valueType: { kind: { case: kind, value: {} } },
            },
          }),
          'UTC',
        ),
      {
        kind: 'not_representable',
        message: `The column "c0" has the type ${kind.toUpperCase()}, for which Arrow has none.`,
      },
    );
});
