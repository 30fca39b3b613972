import { valueBytes } from '../../arrow/arrays/layout.ts';
import type { Field } from '../../arrow/field.ts';
import { BooleanBuilder } from './boolean-builder.ts';
import type { CellBuilder } from './column-builder.ts';
import { FixedWidthBuilder } from './fixed-width-builder.ts';
import { TextBuilder } from './text-builder.ts';

/** A builder for a field without children. */
export function cellBuilder(field: Field): CellBuilder {
  const { type } = field;
  if (type.kind === 'utf8') return new TextBuilder(field);
  if (type.kind === 'bool') return new BooleanBuilder(field);
  const width = valueBytes(type);
  if (width === null) throw new Error(`no builder for ${type.kind}`);
  return new FixedWidthBuilder(field, width);
}
