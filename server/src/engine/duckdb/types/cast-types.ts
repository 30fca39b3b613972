import { quotedIdentifier } from '@duckdb/node-api';
import type { Field } from '../../../arrow/field.ts';
import { isUuid } from '../../../model/types/column-names.ts';
import { plainForm, typeNames, uuidNames } from '../../../model/types/type-table.ts';

/** The most digits of the engine's decimals. */
const decimalDigitsMax = 38;

/**
 * The SQL type to cast a value to, so that the encoder can give this field exactly (`DECIMAL(9,2)`, `VARCHAR[]`, …); null if the
 * engine has none for it.
 */
export function castTypeOf(field: Field): string | null {
  const { type } = field;
  if (field.dictionary !== null)
    return type.kind === 'utf8' ? 'VARCHAR' : type.kind === 'binary' ? 'BLOB' : null;
  if (isUuid(field)) return uuidNames.duckdb;
  const form = plainForm(type);
  switch (form.kind) {
    case 'null':
      // Any type would do: only nulls are taken.
      return 'VARCHAR';
    case 'float':
      return form.bits === 16 ? null : typeNames(form).duckdb;
    case 'decimal': {
      const digits = Math.min(form.precision, decimalDigitsMax);
      return form.scale < 0 || form.scale > digits ? null : `DECIMAL(${digits},${form.scale})`;
    }
    case 'list':
      return suffixed(field.children[0], '[]');
    case 'fixed-list':
      return form.size === 0 ? null : suffixed(field.children[0], `[${form.size}]`);
    case 'struct': {
      if (field.children.length === 0) return null;
      const entries = field.children.map((child) => {
        const cast = castTypeOf(child);
        return cast && `${quotedIdentifier(child.name)} ${cast}`;
      });
      return entries.includes(null) ? null : `STRUCT(${entries.join(', ')})`;
    }
    case 'map': {
      const [key, value] = (field.children[0]?.children ?? []).map(castTypeOf);
      return key && value ? `MAP(${key}, ${value})` : null;
    }
    default:
      return typeNames(form).duckdb;
  }
}

function suffixed(element: Field | undefined, suffix: string): string | null {
  const cast = element === undefined ? null : castTypeOf(element);
  return cast === null ? null : cast + suffix;
}
