import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arrowBytes, runPython } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const writeFiles = `
import datetime, json, sys
import pyarrow as pa
import pyarrow.parquet as pq
from decimal import Decimal
request = json.load(sys.stdin)
for name, expression in request['tables'].items():
    # Like Spark: no Arrow schema in the footer, zstd, several row groups.
    pq.write_table(eval(expression), request['folder'] + '/' + name, store_schema=False, compression='zstd', row_group_size=1000)
print('null')
`;

/** Parquet files as other programs than pyarrow write them, from Python expressions. */
export async function plainParquet<Name extends string>(
  tables: Readonly<Record<Name, string>>,
): Promise<Record<Name, Uint8Array>> {
  const folder = temporaryFolder('result-files');
  try {
    await runPython(['-c', writeFiles], { folder, tables });
    const entries = Object.keys(tables).map((name) => [name, readFileSync(join(folder, name))]);
    return Object.fromEntries(entries) as Record<Name, Uint8Array>;
  } finally {
    removeFolder(folder);
  }
}

/** The IPC schema message of an Arrow stream's table. */
export async function schemaMessage(expression: string): Promise<Uint8Array> {
  const { stream } = await arrowBytes({ stream: expression });
  const length = stream.readUInt32LE(4);
  return stream.subarray(8, 8 + length);
}

export function resultPath(address: string): string {
  return address.slice('file://'.length);
}

/** Writes a complete result as Spark leaves it in a local directory. */
export function writeResult(address: string, files: readonly Uint8Array[]): void {
  const folder = resultPath(address);
  mkdirSync(folder);
  for (const [index, bytes] of files.entries()) {
    const name = `part-${String(index).padStart(5, '0')}-56ece80e-361b-4452-8832-26541d5f9fa2-c000.zstd.parquet`;
    writeFileSync(join(folder, name), bytes);
    writeFileSync(join(folder, `.${name}.crc`), 'crc');
  }
  writeFileSync(join(folder, '._SUCCESS.crc'), 'crc');
  writeFileSync(join(folder, '_SUCCESS'), '');
}
