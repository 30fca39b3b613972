import type { ArrowType, Field, Metadata, Schema } from '../field.ts';
import { typeText } from './type-text.ts';

export interface SchemaComparison {
  /** In words; null if rows of `added` can be appended to rows of `base`. */
  readonly difference: string | null;
  /** Some field of `base` must become nullable: `widenSchema` gives the schema that fits both. */
  readonly widened: boolean;
  /** The same columns, but other dictionary ids: the added messages must be renumbered. */
  readonly dictionaryIdsDiffer: boolean;
}

/** Whether one stream's rows can be appended to another's: same names, order, types and extension names; other metadata does not matter. */
export function compareSchemas(base: Schema, added: Schema): SchemaComparison {
  const same = { widened: false, dictionaryIdsDiffer: false };
  if (base.fields.length !== added.fields.length)
    return { ...same, difference: `${base.fields.length} columns before, ${added.fields.length} now` };
  let widened = false;
  const ids: IdPair[] = [];
  for (const [index, before] of base.fields.entries()) {
    const now = added.fields[index] as Field;
    if (before.name !== now.name)
      return { ...same, difference: `column ${index + 1} was ${quote(before.name)}, now ${quote(now.name)}` };
    const difference = typeDifference(before, now);
    if (difference !== null) return { ...same, difference: `column ${quote(before.name)}: ${difference}` };
    widened ||= needsWidening(before, now);
    collectIds(before, now, ids);
  }
  if (!isOneToOne(ids))
    return {
      ...same,
      difference: 'some columns shared one dictionary and now do not, or the other way round',
    };
  return { difference: null, widened, dictionaryIdsDiffer: ids.some(({ before, now }) => before !== now) };
}

/** The base schema with every field nullable that is nullable in either. The two must compare without difference. */
export function widenSchema(base: Schema, added: Schema): Schema {
  return { ...base, fields: base.fields.map((field, index) => widen(field, added.fields[index] as Field)) };
}

function widen(before: Field, now: Field): Field {
  return {
    ...before,
    nullable: before.nullable || now.nullable,
    children: before.children.map((child, index) => widen(child, now.children[index] as Field)),
  };
}

function needsWidening(before: Field, now: Field): boolean {
  if (now.nullable && !before.nullable) return true;
  return before.children.some((child, index) => needsWidening(child, now.children[index] as Field));
}

interface IdPair {
  readonly before: bigint;
  readonly now: bigint;
}

function collectIds(before: Field, now: Field, ids: IdPair[]): void {
  if (before.dictionary !== null && now.dictionary !== null)
    ids.push({ before: before.dictionary.id, now: now.dictionary.id });
  for (const [index, child] of before.children.entries())
    collectIds(child, now.children[index] as Field, ids);
}

/** Renumbering gives each dictionary one new id; it can neither split nor merge them. */
function isOneToOne(ids: readonly IdPair[]): boolean {
  const forward = new Map<bigint, bigint>();
  const back = new Map<bigint, bigint>();
  for (const { before, now } of ids) {
    if ((forward.get(before) ?? now) !== now || (back.get(now) ?? before) !== before) return false;
    forward.set(before, now);
    back.set(now, before);
  }
  return true;
}

/** Types, dictionary encoding, extension names and names inside of two fields; null if equal. Nullable flags and ids are not compared. */
export function typeDifference(before: Field, now: Field): string | null {
  const types = [typeText(before), typeText(now)] as const;
  if (types[0] !== types[1]) return `was ${types[0]}, now ${types[1]}`;
  const extensions = [extensionName(before.metadata), extensionName(now.metadata)] as const;
  if (extensions[0] !== extensions[1])
    return `was ${extensions[0] ?? 'no extension type'}, now ${extensions[1] ?? 'no extension type'}`;
  if (before.children.length !== now.children.length)
    return `had ${before.children.length} fields inside, now ${now.children.length}`;
  for (const [index, child] of before.children.entries()) {
    const other = now.children[index] as Field;
    if (namesMatter(before.type) && child.name !== other.name)
      return `field ${index + 1} inside was ${quote(child.name)}, now ${quote(other.name)}`;
    const difference = typeDifference(child, other);
    if (difference !== null) return `inside ${quote(child.name)}: ${difference}`;
  }
  return null;
}

/** What a list calls its items (`item`, `element`) differs between libraries and means nothing. */
function namesMatter(type: ArrowType): boolean {
  return type.kind === 'struct' || type.kind === 'union';
}

export function extensionName(metadata: Metadata): string | null {
  return metadata.find(([key]) => key === 'ARROW:extension:name')?.[1] ?? null;
}

function quote(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
