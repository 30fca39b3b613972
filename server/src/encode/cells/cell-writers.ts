import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { isUuid } from '../../model/types/column-names.ts';
import { isBinary, isText, typeLayout } from '../../model/types/type-table.ts';
import { BinaryViewWriter, BinaryWriter, FixedBinaryWriter, UuidWriter } from './binary-writers.ts';
import type { CachedTexts, CellStyle } from './cell-style.ts';
import { type CellWriter, NullWriter } from './cell-writer.ts';
import { DecimalWriter } from './decimal-writer.ts';
import { DictionaryTexts, DictionaryWriter } from './dictionary-writer.ts';
import {
  CsvNestedWriter,
  FixedListWriter,
  ListViewWriter,
  ListWriter,
  MapWriter,
  StructWriter,
  UnionWriter,
} from './nested-writers.ts';
import { BoolWriter, floatWriter, intWriter } from './number-writers.ts';
import { RunWriter } from './run-writer.ts';
import { DurationWriter, IntervalWriter } from './span-of-time-writers.ts';
import { DateWriter, TimestampWriter, TimeWriter } from './temporal-writers.ts';
import { Utf8ViewWriter, Utf8Writer } from './text-writers.ts';

/** The writer of a column of a batch. */
export function cellWriter(data: ArrayData, style: CellStyle): CellWriter {
  const { type, dictionary } = data.field;
  if (dictionary !== null)
    return new DictionaryWriter(
      dictionary.index,
      data,
      cachedTexts(data.dictionary as ArrayData, style),
      style,
    );
  switch (type.kind) {
    case 'null':
      return new NullWriter(data, style);
    case 'bool':
      return new BoolWriter(data, style);
    case 'int':
      return intWriter(type, data, style);
    case 'float':
      return floatWriter(type.bits, data, style);
    case 'decimal':
      return new DecimalWriter(type, data, style);
    case 'fixed-binary':
      return isUuid(data.field)
        ? new UuidWriter(data, style)
        : new FixedBinaryWriter(type.width, data, style);
    case 'date':
      return new DateWriter(type.unit, data, style);
    case 'time':
      return new TimeWriter(type.bits, type.unit, data, style);
    case 'timestamp':
      return new TimestampWriter(type.unit, type.zone !== null, data, style);
    case 'duration':
      return new DurationWriter(type.unit, data, style);
    case 'interval':
      return new IntervalWriter(type.unit, data, style);
    case 'run-end':
      return new RunWriter(data, cellWriter(data.children[1] as ArrayData, style), style);
    default:
      return isText(type) || isBinary(type) ? bytesWriter(data, style) : nestedWriter(data, style);
  }
}

function bytesWriter(data: ArrayData, style: CellStyle): CellWriter {
  const { type } = data.field;
  const layout = typeLayout(type);
  const [Views, Bytes] = isText(type) ? [Utf8ViewWriter, Utf8Writer] : [BinaryViewWriter, BinaryWriter];
  return layout.kind === 'bytes' ? new Bytes(layout.large, data, style) : new Views(data, style);
}

/** The same for all batches that use the dictionary. */
function cachedTexts(values: ArrayData, style: CellStyle): CachedTexts {
  let kept = style.cachedTexts.get(values);
  if (kept === undefined) {
    kept = new DictionaryTexts(values, cellWriter(values, style));
    style.cachedTexts.set(values, kept);
  }
  return kept;
}

function nestedWriter(data: ArrayData, style: CellStyle): CellWriter {
  const json = jsonWriter(data, style.nested);
  return style.syntax === 'csv' ? new CsvNestedWriter(data, json, style) : json;
}

function jsonWriter(data: ArrayData, style: CellStyle): CellWriter {
  const { type } = data.field;
  const elements = () => cellWriter(data.children[0] as ArrayData, style);
  const children = () => data.children.map((child) => cellWriter(child, style));
  switch (type.kind) {
    case 'list':
      return new ListWriter(type.large, data, elements(), style);
    case 'list-view':
      return new ListViewWriter(type.large, data, elements(), style);
    case 'fixed-list':
      return new FixedListWriter(type.size, data, elements(), style);
    case 'struct':
      return new StructWriter(data, children(), style);
    case 'map': {
      const [keys, values] = (data.children[0] as ArrayData).children as [ArrayData, ArrayData];
      return new MapWriter(data, cellWriter(keys, style), cellWriter(values, style), style);
    }
    case 'union':
      return new UnionWriter(type, data, children(), style);
    default:
      throw new Error(`no text for values of type ${type.kind}`);
  }
}
