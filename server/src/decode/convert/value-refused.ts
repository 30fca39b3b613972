import type { Field } from '../../arrow/field.ts';
import { typeText } from '../../arrow/schema/type-text.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { DoesNotFit } from './does-not-fit.ts';
import { quoted } from './match-fields.ts';

/** The first value of the added rows that the frame's type does not have. */
export class ValueRefused extends FrameholdError {
  constructor(fault: DoesNotFit, column: Field, row: number) {
    const inside = fault.inside.map((name) => `, inside ${JSON.stringify(name.slice(0, 100))}`).join('');
    const type = fault.inside.length === 0 ? typeText(column) : 'the type there';
    const why = fault.why === 'does not fit' ? `does not fit ${type}` : fault.why;
    super('schema_conflict', `Row ${row}, column ${quoted(column)}${inside}: ${fault.value} ${why}.`, {
      hint:
        fault.value === 'NaN'
          ? 'Send null in place of NaN where a value is missing, or replace the frame with one whose type has it.'
          : 'Nothing was appended. Send values that the type holds exactly, or replace the frame with one whose type has them.',
    });
  }
}
