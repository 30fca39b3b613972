import type { Field } from '../../../../server/src/arrow/field.ts';
import { parseMessage } from '../../../../server/src/arrow/ipc/message.ts';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import type { EngineTable } from '../../../../server/src/ports/engine.ts';
import { type Reading, readingOf } from './readable-types.ts';
import { columnNames, sameNames } from './spark-names.ts';

/** A column of a frame, and how Spark reads it. */
export interface TableColumn {
  readonly field: Field;
  /** In SQL. */
  readonly name: string;
  readonly reading: Reading;
}

export function readTable({ name, schemaMessage }: EngineTable): readonly TableColumn[] {
  const message = parseMessage(schemaMessage);
  if (message.kind !== 'schema') throw new FrameholdError('engine_failed', `"${name}" has no schema.`);
  const { fields } = message.schema;
  const given = fields.map((field) => field.name);
  const same = new Set(sameNames(given));
  const names = columnNames(given);
  return fields.map((field, index) => ({
    field,
    name: names[index] as string,
    reading: readable(field, same) ?? readingOf(field),
  }));
}

/** Spark finds columns in a file by their names, without case: it would not know which of two is meant. */
function readable({ name }: Field, same: ReadonlySet<string>): Reading | null {
  if (same.has(name))
    return { kind: 'unreadable', reason: 'another column has the same name, or differs in case only' };
  if (!name.isWellFormed()) return { kind: 'unreadable', reason: 'its name is not text' };
  return null;
}
