import type { Field } from '../../arrow/field.ts';

/** Where each field of the frame is among those that came, or how they differ in words. */
export type FieldMatch = { readonly places: readonly number[] } | { readonly difference: string };

/** More would make nobody wiser. */
const namesShown = 10;

/** By name, in any order; by position if a name is there twice. */
export function matchFields(base: readonly Field[], added: readonly Field[]): FieldMatch {
  const placeOf = new Map(added.map(({ name }, place) => [name, place] as const));
  const baseNames = new Set(base.map(({ name }) => name));
  const missing = base.filter(({ name }) => !placeOf.has(name));
  const extra = added.filter(({ name }) => !baseNames.has(name));
  if (missing.length > 0 || extra.length > 0)
    return {
      difference: [listed('missing', missing), listed('not in the frame', extra)].filter(Boolean).join('; '),
    };
  if (placeOf.size === added.length && baseNames.size === base.length)
    return { places: base.map(({ name }) => placeOf.get(name) as number) };
  if (base.length !== added.length)
    return { difference: `names occur more than once: ${base.length} columns before, ${added.length} now` };
  const other = base.findIndex(({ name }, place) => name !== added[place]?.name);
  if (other === -1) return { places: base.map((_, place) => place) };
  return {
    difference: `names occur more than once, and in another order: column ${other + 1} was ${quoted(base[other])}, now ${quoted(added[other])}`,
  };
}

function listed(what: string, fields: readonly Field[]): string {
  if (fields.length === 0) return '';
  const names = fields.slice(0, namesShown).map(quoted).join(', ');
  return `${what}: ${names}${fields.length > namesShown ? ` and ${fields.length - namesShown} more` : ''}`;
}

export function quoted(field: Field | undefined): string {
  const name = field?.name ?? '';
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
