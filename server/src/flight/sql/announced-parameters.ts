import type { Field } from '../../arrow/field.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';

/**
 * The types of parameters as they are announced. The JDBC driver (18.3) writes its values into them as they are: times in milliseconds, integers cut to its width.
 * So times are announced in milliseconds and integers with 64 bits. Clients may send every unit and width.
 */
export function announcedParameters(schemaMessage: Uint8Array): Uint8Array {
  const message = parseMessage(schemaMessage);
  if (message.kind !== 'schema') throw new Error('not a schema message');
  const { fields, metadata } = message.schema;
  return encodeSchema({ fields: fields.map(announced), metadata });
}

function announced(field: Field): Field {
  const { type } = field;
  if (type.kind === 'timestamp') return { ...field, type: { ...type, unit: 'ms' } };
  if (type.kind === 'time') return { ...field, type: { kind: 'time', bits: 32, unit: 'ms' } };
  if (type.kind === 'int' && field.dictionary === null && type.bits < 64)
    return { ...field, type: { kind: 'int', bits: 64, signed: true } };
  return { ...field, children: field.children.map(announced) };
}
