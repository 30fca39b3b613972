import { type DataType, type Field, Type } from '@uwdata/flechette';

const uuidBytes = 16;
/** Flechette's types do not say what extension they carry, and a column has only its type. */
const uuidTypes = new WeakSet<DataType>();

/** Remembers which types below this field are of the extension `arrow.uuid`. */
export function markUuids({ type, metadata }: Field): void {
  const stored = type.typeId === Type.Dictionary ? type.dictionary : type;
  const isUuid = stored.typeId === Type.FixedSizeBinary && stored.stride === uuidBytes;
  // A field without metadata has null there, whatever its type says.
  const known: ReadonlyMap<string, string> | null = metadata;
  if (isUuid && known?.get('ARROW:extension:name') === 'arrow.uuid') uuidTypes.add(stored);
  if ('children' in stored) for (const child of stored.children) markUuids(child);
}

export function isUuid(type: DataType): boolean {
  return uuidTypes.has(type);
}
