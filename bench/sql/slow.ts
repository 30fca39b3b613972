/**
 * A large result to a slow reader, over HTTP and over Flight: the memory of server and engine stays flat.
 *   npm run bench:sql-slow -- [rows, 50,000,000] [MB a second, 16]
 */
import { MemoryWatch } from './process-tree.ts';
import { sqlClient, startBuilt, verdict } from './sql-client.ts';

/** Growth that a garbage collector may show without there being a leak. */
const growthAllowed = 1.1;
const growthAllowedMegabytes = 32;
const rows = Number(process.argv[2] ?? 50_000_000);
const pace = process.argv[3] ?? '16';
const sql = `SELECT n, n * 2 AS twice FROM range(${rows}) t(n)`;

const framehold = await startBuilt({});
let met = true;
try {
  for (const [mode, url] of [
    ['slow-http', framehold.url],
    ['slow-flight', framehold.grpcUrl],
  ] as const) {
    const watch = new MemoryWatch(framehold.pid, 250);
    const got = await sqlClient<{ rows: number; bytes: number; seconds: number }>(mode, url, sql, pace);
    watch.stop();
    const totals = watch.samples.map(({ server, engines }) => server + engines);
    // The first eighth starts the engine and fills the buffers.
    const steady = totals.slice(Math.ceil(totals.length / 8));
    const half = Math.ceil(steady.length / 2);
    const early = Math.max(...steady.slice(0, half));
    const late = Math.max(...steady.slice(half));
    const flat = late <= early * growthAllowed + growthAllowedMegabytes && got.rows === rows;
    met &&= flat;
    console.log(
      `${mode}: ${got.rows} rows, ${(got.bytes / 1e6).toFixed(0)} MB in ${got.seconds.toFixed(0)} s; ` +
        `server at most ${watch.peak('server').toFixed(0)} MB, engines ${watch.peak('engines').toFixed(0)} MB; ` +
        `together ${early.toFixed(0)} → ${late.toFixed(0)} MB: ${verdict(flat)}`,
    );
  }
} finally {
  await framehold.remove();
}
process.exitCode = met ? 0 : 1;
