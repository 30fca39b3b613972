/** Runs `COPY` onto a linked file, without the allowlist, and prints what came of it. */
import { Sandbox } from '../../../src/engine/duckdb/sandbox.ts';
import { sandboxOptions } from './statement-runs.ts';

const [, , folder = '', file = ''] = process.argv;
const sandbox = await Sandbox.open(sandboxOptions(folder));
await sandbox.lockToLinks();
const [link] = sandbox.links.make([file]) ?? [];
const connection = await sandbox.connect();
try {
  await connection.runAndReadAll(`SELECT * FROM read_parquet('${link}')`);
  await connection.run(`COPY (SELECT 42 AS a) TO '${link}' (FORMAT parquet, USE_TMP_FILE false)`);
  console.log('written');
} catch (error) {
  console.log((error as Error).message);
} finally {
  sandbox.close();
}
