/**
 * Many statements at once: all end, in the order in which they came, or are refused; `/ping` goes on.
 *   npm run bench:sql-crowd -- [statements, 100] [rows that each counts, 20,000,000]
 */
import { phaseLine, WatchedServer } from '../load/watched-server.ts';
import { verdict } from './sql-client.ts';

const count = Number(process.argv[2] ?? 100);
const rows = Number(process.argv[3] ?? 20_000_000);
const processes = 2;

/** A look at the statements that are there, this often. */
const lookEveryMs = 25;

const watched = await WatchedServer.start({ env: { FRAMEHOLD_SQL_PROCESSES_MAX: String(processes) } });
let met = true;
/** Looks in which some ran and some waited; the most that waited although they had come before one that ran. */
let looks = 0;
let passedOver = 0;
try {
  const { figures, result } = await watched.phase(`${count} statements`, crowd);
  const answered = result.filter((status) => status === 200).length;
  const refused = result.filter((status) => status === 503 || status === 429).length;
  // Of those that have just got their places, any may be the first to run.
  const inOrder = looks > 10 && passedOver < processes;
  met = figures.ping.met && inOrder && answered + refused === count && answered > 0;
  console.log(phaseLine(figures));
  console.log(`${answered} answered, ${refused} refused, of ${count}`);
  console.log(
    `in order of arrival: in ${looks} looks at most ${passedOver} waited that had come before one that ran, allowed ${processes - 1}: ${verdict(inOrder)}`,
  );
} finally {
  await watched.stop();
}
process.exitCode = met ? 0 : 1;

/** The server lists its statements in the order in which they came. */
async function look(): Promise<void> {
  const answer = await fetch(`${watched.framehold.url}/v1/queries`);
  const { queries } = (await answer.json()) as { queries: { state: 'waiting' | 'running' }[] };
  const states = queries.map(({ state }) => state);
  const ahead = states.slice(0, states.lastIndexOf('running') + 1);
  passedOver = Math.max(passedOver, ahead.filter((state) => state === 'waiting').length);
  if (ahead.length > 0 && ahead.length < states.length) looks += 1;
}

/** Their statuses. They are looked at from the first one on: on a fast machine they end soon after the last has come. */
async function crowd(): Promise<readonly number[]> {
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  })();
  try {
    const sql = `SELECT count(*) AS n, sum(hash(n)) AS h FROM range(${rows}) t(n)`;
    const pending: Promise<number>[] = [];
    for (let number = 0; number < count; number++) {
      pending.push(ask(sql));
      // They come faster than they end, but not all in one moment.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return await Promise.all(pending);
  } finally {
    isOver = true;
    await looking;
  }
}

async function ask(sql: string): Promise<number> {
  const answer = await fetch(`${watched.framehold.url}/v1/sql?fmt=json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql }),
  });
  await answer.arrayBuffer();
  return answer.status;
}
