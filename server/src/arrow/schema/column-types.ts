import type { ArrowType, Field } from '../field.ts';
import { extensionName } from './schema-difference.ts';

/** A column as `/exec` and manifests name it. */
export interface ColumnDescription {
  readonly name: string;
  readonly type: string;
  /** ARRAY only: how many lists are inside one another. */
  readonly dim?: number;
  /** ARRAY only: the type of what the innermost list holds. */
  readonly elemType?: string;
}

export function describeColumn(field: Field): ColumnDescription {
  const value = valueField(field);
  const type = typeName(value);
  if (type !== 'ARRAY') return { name: field.name, type };
  let dim = 0;
  let element = value;
  while (typeName(element) === 'ARRAY') {
    dim++;
    element = valueField(element.children[0] as Field);
  }
  return { name: field.name, type, dim, elemType: typeName(element) };
}

/** Run-end encoding is only a way to store: what counts is the field of the values. */
function valueField(field: Field): Field {
  let value = field;
  while (value.type.kind === 'run-end') value = value.children[1] as Field;
  return value;
}

function typeName(field: Field): string {
  const { type } = field;
  if (isUuid(field)) return 'UUID';
  if (field.dictionary !== null && isText(type)) return 'SYMBOL';
  switch (type.kind) {
    case 'null':
      return 'NULL';
    case 'bool':
      return 'BOOLEAN';
    case 'int':
      return `${type.signed ? '' : 'U'}${{ 8: 'BYTE', 16: 'SHORT', 32: 'INT', 64: 'LONG' }[type.bits]}`;
    case 'float':
      return type.bits === 64 ? 'DOUBLE' : 'FLOAT';
    case 'decimal':
      return type.integer ?? `DECIMAL(${type.precision},${type.scale})`;
    case 'utf8':
    case 'utf8-view':
      return 'STRING';
    case 'binary':
    case 'binary-view':
    case 'fixed-binary':
      return 'BINARY';
    case 'date':
      return 'DATE';
    case 'time':
      return 'TIME';
    case 'timestamp':
      return type.unit === 'ns' ? 'TIMESTAMP_NS' : 'TIMESTAMP';
    case 'duration':
      return 'DURATION';
    case 'interval':
      return 'INTERVAL';
    case 'list':
    case 'list-view':
    case 'fixed-list':
      return 'ARRAY';
    case 'struct':
      return 'STRUCT';
    case 'map':
      return 'MAP';
    case 'union':
      return 'UNION';
    case 'run-end':
      return typeName(valueField(field));
  }
}

function isText(type: ArrowType): boolean {
  return type.kind === 'utf8' || type.kind === 'utf8-view';
}

export function isUuid(field: Field): boolean {
  return (
    field.type.kind === 'fixed-binary' &&
    field.type.width === 16 &&
    extensionName(field.metadata) === 'arrow.uuid'
  );
}
