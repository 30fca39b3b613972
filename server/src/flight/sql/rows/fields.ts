import type { ArrowType, Field } from '../../../arrow/field.ts';

export const utf8: ArrowType = { kind: 'utf8', large: false };
export const binary: ArrowType = { kind: 'binary', large: false };
export const bool: ArrowType = { kind: 'bool' };
export const int32: ArrowType = { kind: 'int', bits: 32, signed: true };
export const int64: ArrowType = { kind: 'int', bits: 64, signed: true };
export const uint8: ArrowType = { kind: 'int', bits: 8, signed: false };
export const uint32: ArrowType = { kind: 'int', bits: 32, signed: false };
export const list: ArrowType = { kind: 'list', large: false };

export function field(
  name: string,
  type: ArrowType,
  nullable: boolean,
  children: readonly Field[] = [],
): Field {
  return { name, type, nullable, children, dictionary: null, metadata: [] };
}
