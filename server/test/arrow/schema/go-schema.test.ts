import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMessage } from '../../../src/arrow/ipc/message.ts';

/** The schema of two dictionary columns as the ADBC driver for Flight SQL, which is written in Go, sends it. */
const header = [
  '140000000000000000000a000c000a00090004000a0000000800000000010400dcfeffff0400000002000000b80000000400',
  '000062ffffff180000008800000068000000840000000000180180000000010000000400000050ffffff0800000030000000',
  '26000000363b756e7573656432343b6c6f6e676572207468616e207477656c7665206279746573313b610000100000005f50',
  '4c5f454e554d5f56414c5545533200000000a0ffffff1000000001000000000000000000000066ffffff0800000000000000',
  '60ffffff01000000650012001c0018001700160010000c00080004001200000018000000780000005c000000780000000000',
  '180174000000010000000c00000008000c000800040008000000080000001400000008000000303b303b7533323b00000000',
  '100000005f504c5f43415445474f524943414c320000000008000a0000000400080000000c00000000000600080004000600',
  '000020000000000000000400040004000000010000006b000000',
].join('');

test('a schema with two dictionaries that was written in Go, where tables of different sizes share a vtable, is read', () => {
  const message = parseMessage(Uint8Array.from(Buffer.from(header, 'hex')));
  assert.ok(message.kind === 'schema');
  assert.deepEqual(
    message.schema.fields.map(({ name, type, dictionary }) => [
      name,
      type.kind,
      dictionary?.id,
      dictionary?.index.bits,
    ]),
    [
      ['k', 'utf8-view', 0n, 32],
      ['e', 'utf8-view', 1n, 8],
    ],
  );
});
