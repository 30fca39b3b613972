import { FrameholdError } from '../../model/errors.ts';
import type { SchemaRecord, VersionRecord } from '../../model/version.ts';

/** By schema, which a catalog keeps: a frame may have a hundred thousand columns, and a request name many of them. */
const columnPlaces = new WeakMap<SchemaRecord, ReadonlyMap<string, number>>();

function placesOf(schema: SchemaRecord): ReadonlyMap<string, number> {
  const known = columnPlaces.get(schema);
  if (known !== undefined) return known;
  // From the end, so that of two columns of the same name the first counts.
  const places = new Map(schema.columns.map(({ name }, index) => [name, index] as const).reverse());
  columnPlaces.set(schema, places);
  return places;
}

/** Throws column_not_found, and bad_request for a column that is named twice: the work of a read is bounded by what the frame has. */
export function columnIndices(
  { name: frame, schema }: VersionRecord,
  names: readonly string[],
): readonly number[] {
  const places = placesOf(schema);
  const chosen = new Set<number>();
  for (const name of names) {
    const index = places.get(name);
    if (index !== undefined && !chosen.has(index)) {
      chosen.add(index);
      continue;
    }
    if (index !== undefined)
      throw new FrameholdError('bad_request', `The column ${JSON.stringify(name)} is named twice.`, {
        hint: 'List each column once. In SQL a column can be selected several times.',
      });
    const known = schema.columns.slice(0, 20).map((column) => column.name);
    const more =
      schema.columns.length > known.length ? `, and ${schema.columns.length - known.length} more` : '';
    throw new FrameholdError('column_not_found', `${frame} has no column ${JSON.stringify(name)}.`, {
      hint: `Its columns: ${known.join(', ')}${more}.`,
    });
  }
  return [...chosen];
}
