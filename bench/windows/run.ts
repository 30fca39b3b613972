/**
 * Pages of 1,000 rows out of the middle of frames: how long until the last byte, for every form in which rows are stored. The
 * CPU time is that of the server's process, which depends less on what else the machine does.
 *   npm run bench:windows -- [rows of the long frame, 5,000,000] [appends, 200]
 */
import { catalogParts } from '../../server/test/support/catalog-file.ts';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { cpuSeconds } from '../load/process-state.ts';

/** Milliseconds. `first` is a page after a start, when nothing is known about the files. */
const targets = { first: 300, median: 50 };
const rows = Number(process.argv[2] ?? 5_000_000);
const appends = Number(process.argv[3] ?? 200);
const pages = 25;
const pageRows = 1_000;
const wideRows = 10_000;
const wideColumns = 2_000;
const timeoutMs = 3_600_000;

const columns = `i::BIGINT AS id, i * 0.37::DOUBLE AS price, TIMESTAMP '2020-01-01' + to_microseconds(i * 1000) AS at,
  'sym' || (hash(i) % 50)::VARCHAR AS symbol, (hash(i) % 1000)::INTEGER AS qty, hash(i) % 3 = 0 AS flag`;

let met = true;
const framehold = await Framehold.start({
  command: builtCommand,
  // Parts that are compacted meanwhile would not be many.
  env: { FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '3600000' },
});
try {
  await fill();
  await restart({});
  await measure(`${rows} rows × 6, Arrow`, 'long', rows);
  await measure(`${wideRows} rows × ${wideColumns}, Arrow, 30 columns`, 'wide', wideRows, thirty());
  await measure(`${appends} appends of 100 rows`, 'appended', appends * 100);
  await framehold.until('settled frames', () => (isTranscoded() ? true : null), timeoutMs);
  await restart({ FRAMEHOLD_STORAGE_CACHE_SIZE_GB: '0', FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '500' });
  await framehold.until('evicted Arrow forms', () => (isEvicted() ? true : null), timeoutMs);
  await measure(`${rows} rows × 6, Parquet`, 'long', rows);
  await measure(`${wideRows} rows × ${wideColumns}, Parquet, 30 columns`, 'wide', wideRows, thirty());
} finally {
  await framehold.remove();
}
process.exitCode = met ? 0 : 1;

async function fill(): Promise<void> {
  await sql(`CREATE TABLE long AS SELECT ${columns} FROM range(${rows}) t(i)`);
  const many = Array.from({ length: wideColumns }, (_, index) => `i * ${index} / 7.0::DOUBLE AS c${index}`);
  await sql(`CREATE TABLE wide AS SELECT ${many.join(', ')} FROM range(${wideRows}) t(i)`);
  await sql(`CREATE TABLE appended AS SELECT ${columns} FROM range(100) t(i)`);
  const body = await (await fetch(`${framehold.url}/v1/frames/appended/rows?fmt=arrow`)).bytes();
  const headers = { 'content-type': 'application/vnd.apache.arrow.stream' };
  for (let append = 1; append < appends; append++) {
    const answer = await fetch(`${framehold.url}/v1/frames/appended/rows`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
  }
}

async function sql(text: string): Promise<void> {
  const headers = { 'content-type': 'application/sql' };
  const answer = await fetch(`${framehold.url}/v1/sql`, { method: 'POST', headers, body: text });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.arrayBuffer();
}

async function restart(env: Readonly<Record<string, string>>): Promise<void> {
  await framehold.stop();
  await framehold.start(env);
}

function isTranscoded(): boolean {
  return large().every(({ parquet }) => parquet === 'exact');
}

function isEvicted(): boolean {
  return large().every(({ hasArrow }) => !hasArrow);
}

/** Small appends are compacted before they are transcoded. */
function large() {
  return catalogParts(framehold.dataDirectory).filter(({ name }) => name !== 'appended');
}

function thirty(): string {
  const chosen = Array.from({ length: 30 }, (_, index) => `c${1_000 + index}`);
  return `&columns=${chosen.join(',')}`;
}

async function measure(title: string, name: string, rowsTotal: number, query = ''): Promise<void> {
  const times: number[] = [];
  let cpuBefore = 0;
  for (let page = 0; page < pages; page++) {
    // Spread over the frame, not in order: 7 has no common factor with the number of pages.
    const offset = Math.floor((((page * 7 + 11) % pages) / pages) * (rowsTotal - pageRows));
    const start = performance.now();
    const target = `${framehold.url}/v1/frames/${name}/rows?fmt=arrow&offset=${offset}&limit=${pageRows}${query}`;
    const answer = await fetch(target);
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
    times.push(performance.now() - start);
    if (page === 0) cpuBefore = cpuSeconds(framehold.pid);
  }
  const cpuMs = ((cpuSeconds(framehold.pid) - cpuBefore) * 1_000) / (pages - 1);
  const [first = Number.NaN, ...others] = times;
  const sorted = others.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const isMet = first <= targets.first && median <= targets.median;
  met &&= isMet;
  console.log(
    `${title.padEnd(46)} first ${first.toFixed(0)} ms, median ${median.toFixed(1)} ms, slowest ${sorted.at(-1)?.toFixed(1)} ms, ` +
      `CPU ${cpuMs.toFixed(1)} ms a page: ` +
      `${isMet ? 'met' : 'MISSED'} (${targets.first}, ${targets.median})`,
  );
}
