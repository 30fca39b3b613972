import type { ArrowType, Field } from '../../../arrow/field.ts';
import { frameHeader } from '../../../arrow/ipc/framing.ts';
import { encodeSchema } from '../../../arrow/ipc/schema-encoder.ts';
import { schemaOf } from '../../../arrow/schema/schema-record.ts';
import { plainForm } from '../../../model/types/type-table.ts';
import type { SchemaRecord } from '../../../model/version.ts';

/**
 * The schema of a frame as SQL clients are shown it: the frame's own, but for types that are a way of storing (views, run ends, half floats,
 * narrow decimals). Those are what a query gives for them. A driver that does not know one of them (JDBC) fails for all tables at once.
 */
export function tableSchema({ message }: SchemaRecord): Uint8Array {
  const schema = schemaOf(message);
  const fields = schema.fields.map(shownField);
  const isSame = fields.every((field, index) => field === schema.fields[index]);
  return frameHeader(isSame ? message : encodeSchema({ ...schema, fields }));
}

/** The field itself if nothing in it is shown otherwise. */
function shownField(field: Field): Field {
  const values = field.children[1];
  if (field.type.kind === 'run-end' && values !== undefined)
    return { ...shownField(values), name: field.name, nullable: field.nullable, metadata: field.metadata };
  const type = shownType(field.type);
  const children = field.children.map(shownField);
  const isSame = type === field.type && children.every((child, index) => child === field.children[index]);
  return isSame ? field : { ...field, type, children };
}

function shownType(type: ArrowType): ArrowType {
  switch (type.kind) {
    case 'float':
      return type.bits === 16 ? { kind: 'float', bits: 32 } : type;
    case 'decimal':
      return type.bits < 128 ? { ...type, bits: 128 } : type;
    default:
      return plainForm(type);
  }
}
