import { FrameholdError } from '../../../frames/errors.ts';
import type { StatementParameters } from '../../../frames/ports/engine.ts';
import type { ParameterValue } from '../gate/gate.ts';

/** A draft: the client's own file replaces it. */
export function* parameterRows(
  parameters: StatementParameters | null,
  wanted: { readonly count: number; readonly names: readonly string[] | null },
): Generator<readonly ParameterValue[], void, void> {
  if (parameters === null) {
    if (wanted.count > 0) throw new FrameholdError('sql_invalid', 'no values');
    yield [];
    return;
  }
  if (parameters.kind !== 'json') throw new FrameholdError('sql_invalid', 'json only');
  const { values } = parameters;
  const list = Array.isArray(values)
    ? values
    : (wanted.names ?? []).map((name) => (values as Record<string, unknown>)[name]);
  if (list.length !== wanted.count) throw new FrameholdError('sql_invalid', 'another number of values');
  yield list.map((value): ParameterValue => {
    if (typeof value === 'bigint') return { type: 'bigint', value };
    if (typeof value === 'number') return { type: 'double', value };
    if (typeof value === 'string') return { type: 'string', value };
    return { type: 'null' };
  });
}
