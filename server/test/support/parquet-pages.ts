import assert from 'node:assert/strict';
import {
  chunkOf,
  columnFields,
  fileFields,
  footerIn,
  locationFields,
  pageFields,
  rowGroupFields,
} from '../../src/parquet/parquet-layout.ts';
import { readThrift, thriftInt, thriftStructs } from '../../src/parquet/thrift-compact.ts';

export function rowGroupsIn(file: Uint8Array): number {
  return thriftStructs(footerIn(file).footer, fileFields.rowGroups).length;
}

/** Every page is where the index of its column says, and has the size that it says. */
export function checkPages(file: Uint8Array): void {
  const { footer, footerOffset } = footerIn(file);
  for (const group of thriftStructs(footer, fileFields.rowGroups))
    for (const column of thriftStructs(group, rowGroupFields.columns)) {
      const { start, bytes } = chunkOf(column, footerOffset);
      const pages = new Map<number, number>();
      for (let at = start; at < start + bytes; ) {
        const { struct, end } = readThrift(file, at);
        const next = end + (thriftInt(struct, pageFields.compressedBytes) ?? Number.NaN);
        pages.set(at, next - at);
        at = next;
      }
      const index = readThrift(file, thriftInt(column, columnFields.offsetIndexOffset) ?? -1).struct;
      for (const location of thriftStructs(index, locationFields.list))
        assert.equal(
          pages.get(thriftInt(location, locationFields.offset) ?? -1),
          thriftInt(location, locationFields.bytes),
        );
    }
}
