/**
 * Statements over more than fits into an engine's memory finish by writing to temporary files.
 *   npm run bench:sql-spill -- [GB of frames, 4] [memory limit, 512MiB]      Needs some five times as much disk.
 */
import { filesBelow } from '../load/process-state.ts';
import { MemoryWatch } from './process-tree.ts';
import { sqlClient, startBuilt, transcodedFiles, verdict } from './sql-client.ts';

/** Four columns: 8, 4, 8, and 12 of text with an offset of 4. */
const bytesPerRow = 36;
const frames = 4;
const gigabytes = Number(process.argv[2] ?? 4);
const limit = process.argv[3] ?? '512MiB';
const rows = Math.floor((gigabytes * 1e9) / bytesPerRow / frames);
/** An engine's own code, its reading of Parquet, and batches on their way, beside what the limit counts. */
const engineAllowedMegabytes = 512 * 1.05 + 400;

const names = Array.from({ length: frames }, (_, index) => `part_${index}`);
const union = names.map((name) => `SELECT * FROM ${name}`).join(' UNION ALL ');
// Not a group by with as many groups as rows: of that DuckDB 1.5.6 keeps more in memory than 512 MiB, also without us.
const statements = {
  'sort everything': `SELECT count(*) AS n, max(r) AS r FROM (SELECT row_number() OVER (ORDER BY text, value, id) AS r FROM (${union}))`,
  'join with itself': `SELECT count(*) AS n FROM ${names[0]} a JOIN ${names[1]} b ON a.id = b.id`,
};

const framehold = await startBuilt({
  FRAMEHOLD_SQL_MEMORY_BYTES_MAX: limit,
  FRAMEHOLD_SQL_TEMP_BYTES_MAX: '64GiB',
  FRAMEHOLD_SQL_TIMEOUT_MS: '3600000',
});
let met = true;
try {
  for (const [index, name] of names.entries())
    await sqlClient('put', framehold.grpcUrl, name, String(rows), String(index));
  await transcodedFiles(framehold);
  for (const [title, sql] of Object.entries(statements)) {
    const watch = new MemoryWatch(framehold.pid, 250);
    let spilled = 0;
    const before = filesBelow(framehold.dataDirectory).bytes;
    const timer = setInterval(() => {
      spilled = Math.max(spilled, filesBelow(framehold.dataDirectory).bytes - before);
    }, 250);
    const got = await sqlClient<{ seconds: number; rows: unknown }>('sql', framehold.url, sql);
    clearInterval(timer);
    watch.stop();
    const within = watch.peak('engines') <= engineAllowedMegabytes;
    met &&= within;
    console.log(
      `${title}: ${JSON.stringify(got.rows)} in ${got.seconds.toFixed(0)} s; ${(spilled / 1e9).toFixed(2)} GB of temporary files; ` +
        `engines at most ${watch.peak('engines').toFixed(0)} MB, wanted ${engineAllowedMegabytes.toFixed(0)}: ${verdict(within)}`,
    );
  }
} finally {
  await framehold.remove();
}
process.exitCode = met ? 0 : 1;
