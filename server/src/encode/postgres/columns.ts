import type { Field } from '../../arrow/field.ts';
import { postgresTypeMark } from '../../arrow/schema/postgres-marks.ts';
import { withWideIntegers } from '../../arrow/schema/wide-integers.ts';
import { FrameholdError } from '../../model/errors.ts';
import { systemType } from '../../model/postgres/types.ts';
import { postgresType, valueField } from '../../model/types/column-names.ts';
import { type PostgresType, postgres } from '../../model/types/postgres-types.ts';
import { schemaOf } from '../rows/arrow-steps.ts';

/** A column as `RowDescription` announces it. */
export interface PostgresColumn {
  readonly name: string;
  readonly oid: number;
  readonly size: number;
  readonly modifier: number;
}

/** Messages count columns with 16 bits, which most clients read as signed. */
const columnsMax = 32_767;

/** The columns of a result, whose schema an engine has made. They follow from the types alone, never from the rows. */
export function postgresColumns(schemaMessage: Uint8Array): readonly PostgresColumn[] {
  const { fields } = withWideIntegers(schemaOf(schemaMessage));
  if (fields.length > columnsMax)
    throw new FrameholdError(
      'not_representable',
      `The result has ${fields.length} columns, and PostgreSQL's protocol can announce ${columnsMax}.`,
      { hint: 'Choose fewer columns.', sqlState: '54011' },
    );
  return fields.map((field) => {
    if (field.name.includes('\0'))
      throw new FrameholdError('not_representable', 'A column has a zero byte in its name.', {
        hint: 'Rename it in the statement: SELECT … AS name.',
        sqlState: '22021',
      });
    const { oid, size, modifier } = announcedType(field);
    return { name: field.name, oid, size, modifier };
  });
}

/** The types of parameters, as `ParameterDescription` announces them. What the engine does not know is text, as it is in PostgreSQL. */
export function parameterTypes(parameterSchemaMessage: Uint8Array): readonly number[] {
  return schemaOf(parameterSchemaMessage).fields.map(parameterType);
}

function parameterType(field: Field): number {
  return valueField(field).type.kind === 'null' ? postgres.text.oid : announcedType(field).oid;
}

/** What the engine has marked is a type of PostgreSQL's catalogs; any other follows from the Arrow type. */
function announcedType(field: Field): Pick<PostgresType, 'oid' | 'size' | 'modifier'> {
  const mark = postgresTypeMark(field);
  const type = mark === null ? null : systemType(mark);
  return type === null ? postgresType(field) : { ...type, modifier: -1 };
}
