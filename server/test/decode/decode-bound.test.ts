import assert from 'node:assert/strict';
import { readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { decodeUpload } from '../../src/decode/decode-upload.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { UploadFormat } from '../../src/ports/codec.ts';
import { arrowBytes } from '../support/python.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('decode-bound');
after(() => removeFolder(folder));
const never = new AbortController().signal;
/** Larger than what is gathered before it is written. */
const table = "pa.table({'n': pa.array([7] * 1_000_000)})";
const { table: arrowFile } = await arrowBytes({ table }, 'file');
const { table: parquet } = await arrowBytes({ table }, 'parquet');

const uploads: Readonly<Record<UploadFormat, Uint8Array>> = {
  'arrow-file': arrowFile,
  parquet,
  csv: Buffer.from(`n\n${'7\n'.repeat(1_000_000)}`),
  ndjson: Buffer.from('{"n":7}\n'.repeat(1_000_000)),
  json: Buffer.from(`[${'{"n":7},'.repeat(1_000_000)}{"n":7}]`),
};

for (const [name, bytes] of Object.entries(uploads)) {
  const format = name as UploadFormat;
  const source = join(folder, `${format}.upload`);
  const target = join(folder, `${format}.target`);

  /** The size of what it became. */
  async function decoded(bound: { readonly targetBytesMax?: number }): Promise<number> {
    writeFileSync(source, bytes);
    await decodeUpload({ format, source, target, csv: {}, ...bound }, never);
    return statSync(target).size;
  }

  test(`${format}: as many bytes are written as may be, and no more`, async () => {
    const size = await decoded({});
    assert.ok(size >= 8_000_000);
    assert.equal(await decoded({ targetBytesMax: size }), size);
    for (const targetBytesMax of [size - 1, 1_000_000, 0]) {
      await assert.rejects(
        decoded({ targetBytesMax }),
        (error) => error instanceof FrameholdError && error.kind === 'quota_exceeded',
      );
      assert.ok(statSync(target).size <= targetBytesMax, `${statSync(target).size} of ${targetBytesMax}`);
      assert.deepEqual(openFiles(), [], 'left open');
    }
  });
}

/** Those in the folder. */
function openFiles(): string[] {
  const descriptors = '/proc/self/fd';
  return readdirSync(descriptors)
    .map((name) => pathOf(join(descriptors, name)))
    .filter((path) => path.startsWith(folder));
}

function pathOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    // Closed since the folder was read.
    return '';
  }
}
