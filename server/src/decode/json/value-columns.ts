import type { ArrowType, Field } from '../../arrow/field.ts';
import { badBody, shown } from '../bad-body.ts';
import { cellBuilder } from '../cells/cell-builder.ts';
import { cellParser } from '../cells/cell-parser.ts';
import type { ColumnBuilder } from '../cells/column-builder.ts';
import { ListBuilder, StructBuilder } from '../cells/nested-builders.ts';
import { sqlTypeName, uuidMetadata } from '../cells/sql-type.ts';
import { frameParser, valueRefused } from '../frame-columns.ts';
import { JsonNumber, type JsonValue, jsonText } from './json-parser.ts';

/** The field of a column whose type is known. */
export function forcedField(name: string, type: ArrowType): Field {
  const metadata = type.kind === 'fixed-binary' ? uuidMetadata : [];
  return { name, nullable: true, type, children: [], dictionary: null, metadata };
}

/** Takes the values of one column. */
export interface Column {
  readonly builder: ColumnBuilder;
  append(value: JsonValue, line: number): void;
}

export function columnOf(field: Field): Column {
  if (field.type.kind === 'list') return listColumn(field, columnOf(field.children[0] as Field));
  if (field.type.kind === 'struct') return structColumn(field, field.children.map(columnOf));
  const builder = cellBuilder(field);
  const parse = cellParser(field.type);
  return {
    builder,
    append(value, line) {
      if (value === null) {
        builder.appendNull();
        return;
      }
      const cell = typeof value === 'boolean' && field.type.kind === 'bool' ? value : parse(plainText(value));
      if (cell === undefined)
        throw badBody(
          `Line ${line}, column ${shown(field.name)}: ${shown(jsonText(value))} is not a ${sqlTypeName(field.type)}.`,
          'Ask for another type with types=, or for none to have it found.',
        );
      builder.append(cell);
    },
  };
}

/** A column that is read with the type that it has in the frame. Texts are strings only: a number would become another value. */
export function frameColumn(field: Field): Column {
  const builder = cellBuilder(field);
  const parse = frameParser(field.type);
  const isText = field.type.kind === 'utf8';
  return {
    builder,
    append(value, line) {
      if (value === null) {
        builder.appendNull();
        return;
      }
      const isRead = !isText || typeof value === 'string';
      const cell = isRead ? parse(plainText(value)) : undefined;
      if (cell === undefined) throw valueRefused(field.name, field.type, line, jsonText(value));
      builder.append(cell);
    },
  };
}

/** A string's own text; of other values their JSON. */
export function plainText(value: JsonValue): string {
  return typeof value === 'string' ? value : value instanceof JsonNumber ? value.text : jsonText(value);
}

function listColumn(field: Field, items: Column): Column {
  const builder = new ListBuilder(field, items.builder);
  return {
    builder,
    append(value, line) {
      if (!Array.isArray(value)) {
        builder.appendNull();
        return;
      }
      for (const item of value) items.append(item, line);
      builder.append(value.length);
    },
  };
}

function structColumn(field: Field, members: readonly Column[]): Column {
  const builder = new StructBuilder(
    field,
    members.map((member) => member.builder),
  );
  return {
    builder,
    append(value, line) {
      if (!(value instanceof Map)) {
        builder.appendNull();
        return;
      }
      for (const member of members) member.append(value.get(member.builder.field.name) ?? null, line);
      builder.append();
    },
  };
}
