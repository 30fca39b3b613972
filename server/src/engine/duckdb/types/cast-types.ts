import { quotedIdentifier } from '@duckdb/node-api';
import type { Field } from '../../../arrow/field.ts';
import { isUuid } from '../../../model/types/column-names.ts';

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
  if (isUuid(field)) return 'UUID';
  switch (type.kind) {
    case 'null':
      // Any type would do: only nulls are taken.
      return 'VARCHAR';
    case 'bool':
      return 'BOOLEAN';
    case 'int':
      return `${type.signed ? '' : 'U'}${{ 8: 'TINYINT', 16: 'SMALLINT', 32: 'INTEGER', 64: 'BIGINT' }[type.bits]}`;
    case 'float':
      return type.bits === 16 ? null : type.bits === 32 ? 'FLOAT' : 'DOUBLE';
    case 'decimal': {
      const digits = Math.min(type.precision, decimalDigitsMax);
      return type.scale < 0 || type.scale > digits ? null : `DECIMAL(${digits},${type.scale})`;
    }
    case 'utf8':
    case 'utf8-view':
      return 'VARCHAR';
    case 'binary':
    case 'binary-view':
    case 'fixed-binary':
      return 'BLOB';
    case 'date':
      return 'DATE';
    case 'time':
      return type.unit === 'ns' ? 'TIME_NS' : 'TIME';
    case 'timestamp':
      if (type.zone !== null) return 'TIMESTAMP WITH TIME ZONE';
      return { s: 'TIMESTAMP_S', ms: 'TIMESTAMP_MS', us: 'TIMESTAMP', ns: 'TIMESTAMP_NS' }[type.unit];
    case 'duration':
    case 'interval':
      return 'INTERVAL';
    case 'list':
    case 'list-view':
      return suffixed(field.children[0], '[]');
    case 'fixed-list':
      return type.size === 0 ? null : suffixed(field.children[0], `[${type.size}]`);
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
    case 'union':
    case 'run-end':
      return null;
  }
}

function suffixed(element: Field | undefined, suffix: string): string | null {
  const cast = element === undefined ? null : castTypeOf(element);
  return cast === null ? null : cast + suffix;
}
