import type { Field } from '../../arrow/field.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { nestedTypeText } from '../../arrow/schema/type-text.ts';
import type { Column, SchemaRecord } from '../../model/version.ts';
import type { SchemaChange } from './analysis.ts';

/** How two schemas differ, and the columns that both have with the same type. */
export interface ComparedSchemas {
  readonly change: SchemaChange;
  readonly common: readonly CommonColumn[];
  /** They have the same columns; the order may differ. */
  readonly isSame: boolean;
}

export interface CommonColumn {
  readonly name: string;
  readonly field: Field;
  /** Positions in either schema. */
  readonly from: number;
  readonly to: number;
}

interface Place {
  readonly index: number;
  readonly column: Column;
  readonly field: Field;
}

export function compareColumns(from: SchemaRecord, to: SchemaRecord): ComparedSchemas {
  const [before, after] = [placesOf(from), placesOf(to)];
  const added = [...after].filter(([key]) => !before.has(key)).map(([, { column }]) => shown(column));
  const removed = [...before].filter(([key]) => !after.has(key)).map(([, { column }]) => shown(column));
  const changed: SchemaChange['changed'][number][] = [];
  const common: CommonColumn[] = [];
  const order: number[] = [];
  for (const [key, old] of before) {
    const now = after.get(key);
    if (now === undefined) continue;
    order.push(now.index);
    const types = [nestedTypeText(old.field), nestedTypeText(now.field)] as const;
    if (types[0] === types[1])
      common.push({ name: old.column.name, field: old.field, from: old.index, to: now.index });
    // The type's name may be the same, for example for timestamps of different units.
    else if (old.column.type === now.column.type)
      changed.push({ name: old.column.name, from: types[0], to: types[1] });
    else changed.push({ name: old.column.name, from: old.column.type, to: now.column.type });
  }
  const reordered = order.some((index, place) => place > 0 && index < (order[place - 1] as number));
  const isSame = added.length === 0 && removed.length === 0 && changed.length === 0;
  return { change: { added, removed, changed, reordered }, common, isSame };
}

/** By name; the second column of a name has a key of its own. */
function placesOf({ columns, message }: SchemaRecord): ReadonlyMap<string, Place> {
  const parsed = parseMessage(message);
  if (parsed.kind !== 'schema') throw new Error('the catalog has no schema of the version');
  const seen = new Map<string, number>();
  return new Map(
    columns.map((column, index) => {
      const times = seen.get(column.name) ?? 0;
      seen.set(column.name, times + 1);
      const field = parsed.schema.fields[index] as Field;
      return [JSON.stringify([column.name, times]), { index, column, field }] as const;
    }),
  );
}

function shown({ name, type }: Column): Pick<Column, 'name' | 'type'> {
  return { name, type };
}
