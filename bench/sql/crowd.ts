/**
 * Many statements at once: all end, in the order in which they came, or are told to come back; `/ping` goes on.
 *   npm run bench:sql-crowd -- [statements, 100] [rows that each counts, 20,000,000]
 */
import { phaseLine, WatchedServer } from '../load/watched-server.ts';
import { verdict } from './sql-client.ts';

const count = Number(process.argv[2] ?? 100);
const rows = Number(process.argv[3] ?? 20_000_000);
const processes = 2;

interface Ended {
  readonly number: number;
  readonly status: number;
  readonly at: number;
}

const watched = await WatchedServer.start({ env: { FRAMEHOLD_SQL_PROCESSES_MAX: String(processes) } });
let met = true;
try {
  const { figures, result } = await watched.phase(`${count} statements`, crowd);
  const answered = result.filter(({ status }) => status === 200).sort((a, b) => a.at - b.at);
  const refused = result.filter(({ status }) => status === 503 || status === 429);
  // Of those that run beside each other any may end first.
  const displaced = Math.max(
    0,
    ...answered.map(({ number }, place) => Math.abs(rank(answered, number) - place)),
  );
  const inOrder = displaced <= processes;
  met = figures.ping.met && inOrder && answered.length + refused.length === count && answered.length > 0;
  console.log(phaseLine(figures));
  console.log(`${answered.length} answered, ${refused.length} told to come back, of ${count}`);
  console.log(`in order of arrival but for ${displaced} places, wanted ${processes}: ${verdict(inOrder)}`);
} finally {
  await watched.stop();
}
process.exitCode = met ? 0 : 1;

function rank(answered: readonly Ended[], number: number): number {
  return answered.filter((each) => each.number < number).length;
}

async function crowd(): Promise<readonly Ended[]> {
  const sql = `SELECT count(*) AS n, sum(hash(n)) AS h FROM range(${rows}) t(n)`;
  const pending: Promise<Ended>[] = [];
  for (let number = 0; number < count; number++) {
    pending.push(ask(number, sql));
    // So that there is an order in which they come.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return await Promise.all(pending);
}

async function ask(number: number, sql: string): Promise<Ended> {
  const answer = await fetch(`${watched.framehold.url}/v1/sql?fmt=json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql }),
  });
  await answer.arrayBuffer();
  return { number, status: answer.status, at: performance.now() };
}
