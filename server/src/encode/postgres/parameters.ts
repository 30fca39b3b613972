import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { encodeRecordBatchHeader } from '../../arrow/batches/batch-encoder.ts';
import { planBatch } from '../../arrow/batches/batch-layout.ts';
import { endOfStream, frameHeader } from '../../arrow/ipc/framing.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { StatementParameters } from '../../ports/engine.ts';
import type { FieldFormat } from './fields/field-writers.ts';
import { binaryArray, textArray } from './parameters/array-values.ts';
import { BadValue } from './parameters/bad-value.ts';
import { type ParameterType, parameterTypeOf } from './parameters/parameter-types.ts';
import { arrayColumn, nullColumn, scalarColumn } from './parameters/value-columns.ts';

/**
 * Values of a Bind message as an engine takes them: an Arrow stream of one row. A value is bound as what its type says and is exactly the value that was
 * sent, or the parameter, its type and what is wrong are named. `formats` as in the message: none, one for all, or one each. `timeZone`: of the
 * session, for instants in text that name no zone.
 */
export function bindParameters(
  values: readonly (Uint8Array | null)[],
  formats: readonly FieldFormat[],
  oids: readonly number[],
  timeZone = 'UTC',
): StatementParameters {
  if (values.length !== oids.length || (formats.length > 1 && formats.length !== values.length))
    throw new FrameholdError(
      'bad_request',
      `The message has ${values.length} values and ${formats.length} formats for ${oids.length} parameters.`,
      { hint: 'Send one value for each parameter, and no format, one, or one for each.', sqlState: '08P01' },
    );
  if (values.length === 0) return { kind: 'json', values: [] };
  const columns = values.map((value, index) => {
    const format = (formats.length === 1 ? formats[0] : formats[index]) ?? 0;
    return column(value, format, oids[index] as number, index + 1, timeZone);
  });
  return { kind: 'arrow', stream: streamOf(columns) };
}

function column(
  value: Uint8Array | null,
  format: FieldFormat,
  oid: number,
  number: number,
  timeZone: string,
): ArrayData {
  const name = `$${number}`;
  if (value === null) return nullColumn(name);
  const type = parameterTypeOf(oid, timeZone);
  if (type === null)
    throw new FrameholdError(
      'bad_request',
      `The parameter ${name} has a type that is not supported (OID ${oid}).`,
      { hint: 'Send it as text, and cast it in the statement.', sqlState: '0A000' },
    );
  try {
    return columnOf(name, type, value, format);
  } catch (thrown) {
    if (!(thrown instanceof BadValue)) throw thrown;
    throw new FrameholdError(
      'bad_request',
      `The parameter ${name}, of the type ${type.name}, ${thrown.message}.`,
      { hint: thrown.hint, sqlState: thrown.sqlState },
    );
  }
}

function columnOf(name: string, type: ParameterType, value: Uint8Array, format: FieldFormat): ArrayData {
  const { scalar } = type;
  if (!type.isArray)
    return scalarColumn(name, scalar, [format === 0 ? scalar.fromText(value) : scalar.fromBinary(value)]);
  const array =
    format === 0
      ? textArray(value, (text) => scalar.fromText(text))
      : binaryArray(value, scalar.oids, (bytes) => scalar.fromBinary(bytes));
  return arrayColumn(name, scalar, array);
}

function streamOf(columns: readonly ArrayData[]): Uint8Array {
  const plan = planBatch(1, columns);
  const body = new Uint8Array(plan.layout.bodyBytes);
  plan.write(body);
  const schema = encodeSchema({ fields: columns.map(({ field }) => field), metadata: [] });
  const header = encodeRecordBatchHeader(plan.layout);
  return Buffer.concat([frameHeader(schema), frameHeader(header), body, endOfStream]);
}
