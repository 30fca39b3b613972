import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from './catalog-file.ts';

/** Where the file of an object is. */
export function objectPath(dataDirectory: string, key: string): string {
  return join(dataDirectory, key.endsWith('.parquet') ? 'cold' : 'objects', key);
}

/** Changes one bit in a file, at a fraction of its length, as a failing disk would: nothing else about it changes. */
export function flipBit(path: string, where: number | { readonly byte: number }): void {
  const file = openSync(path, 'r+');
  try {
    const { size } = fstatSync(file);
    const position = typeof where === 'number' ? Math.min(size - 1, Math.floor(size * where)) : where.byte;
    const byte = new Uint8Array(1);
    readSync(file, byte, 0, 1, position);
    byte[0] = (byte[0] ?? 0) ^ 0x10;
    writeSync(file, byte, 0, 1, position);
  } finally {
    closeSync(file);
  }
}

/** Keys of a name's objects, by form. */
export function objectsOf(
  dataDirectory: string,
  name: string,
): { readonly arrow: string[]; readonly parquet: string[] } {
  const rows = ask<{ kind: string; key: string }>(
    dataDirectory,
    `select o.kind, o.key from objects o join parts p on p.id = o.part join names n on n.id = p.name_id
     where n.name = ? order by p.id, o.seq`,
    name,
  );
  const keys = (kind: string) => rows.filter((row) => row.kind === kind).map(({ key }) => key);
  return { arrow: keys('arrow'), parquet: keys('parquet') };
}
