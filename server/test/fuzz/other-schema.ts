import type { ArrowType, Field, IntType, Schema, TimeUnit } from '../../src/arrow/field.ts';
import type { Random } from './seeded-random.ts';

const units: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns'];
const widths = [8, 16, 32, 64] as const;

function oneOf<Item>(items: readonly Item[], random: Random): Item {
  return items[random(items.length)] as Item;
}

/** A frame to which a stream might be appended: the same columns, or nearly, in other types and another order. */
export function otherSchema({ fields, metadata }: Schema, random: Random): Schema {
  let nextId = 0n;
  const other = (field: Field): Field => {
    const { type, children } = otherType(field, random);
    const isEncoded = children.length === 0 && type.kind !== 'null' && random(3) === 0;
    const dictionary = isEncoded
      ? { id: random(8) === 0 ? 0n : nextId++, index: integer(random), ordered: random(4) === 0 }
      : null;
    return { ...field, type, dictionary, children: children.map(other), nullable: random(4) > 0 };
  };
  const changed = fields.map((field) => (random(6) === 0 && !isEncoded(field) ? field : other(field)));
  const turned = random(2) === 0 ? changed : changed.toReversed();
  return { fields: random(12) === 0 ? turned.slice(1) : turned, metadata };
}

function isEncoded({ dictionary, children }: Field): boolean {
  return dictionary !== null || children.some(isEncoded);
}

function integer(random: Random): IntType {
  return { kind: 'int', bits: oneOf(widths, random), signed: random(2) === 0 };
}

function otherType(field: Field, random: Random): { type: ArrowType; children: readonly Field[] } {
  const { type, children } = field;
  const plain = (other: ArrowType) => ({ type: other, children: [] });
  if (random(20) === 0 && children.length === 0) return plain({ kind: 'null' });
  switch (type.kind) {
    case 'int':
    case 'float':
    case 'decimal':
      if (random(3) === 0) return plain({ kind: 'float', bits: oneOf([32, 64], random) });
      if (random(3) === 0)
        return plain({ kind: 'decimal', bits: 128, precision: 1 + random(38), scale: random(12) });
      return plain(integer(random));
    case 'utf8':
    case 'utf8-view':
      return plain(random(3) === 0 ? { kind: 'utf8-view' } : { kind: 'utf8', large: random(2) === 0 });
    case 'binary':
    case 'binary-view':
    case 'fixed-binary':
      if (random(4) === 0) return plain({ kind: 'fixed-binary', width: random(20) });
      return plain(random(3) === 0 ? { kind: 'binary-view' } : { kind: 'binary', large: random(2) === 0 });
    case 'date':
    case 'timestamp':
      if (random(3) === 0) return plain({ kind: 'date', unit: oneOf(['day', 'ms'], random) });
      return plain({ kind: 'timestamp', unit: oneOf(units, random), zone: random(4) === 0 ? 'UTC' : null });
    case 'duration':
      return plain({ kind: 'duration', unit: oneOf(units, random) });
    case 'list':
    case 'list-view':
    case 'fixed-list':
      if (random(3) === 0) return { type: { kind: 'fixed-list', size: random(4) }, children };
      return { type: { kind: oneOf(['list', 'list-view'], random), large: random(2) === 0 }, children };
    default:
      return { type, children };
  }
}
