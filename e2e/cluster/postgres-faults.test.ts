import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import { noPlaceTaken, through } from '../../server/test/support/cluster/fault-traffic.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { eventually } from '../../server/test/support/patience.ts';

/** After this a statement that PostgreSQL does not answer is given up. */
const timeoutMs = 2_000;
let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start({
    nodes: 2,
    ownParts: true,
    settings: { 'catalog-timeout-ms': String(timeoutMs) },
  });
});
after(() => cluster?.remove());

/** Transactions that nobody ends hold locks, and connections that nobody closes are soon too many. */
async function nothingLeaks(): Promise<void> {
  await eventually('no transaction is left open', async () => {
    const open = await cluster.query(
      `select pid from pg_stat_activity where application_name = 'framehold' and state like 'idle in transaction%'`,
    );
    return open.length === 0;
  });
  const [row] = await cluster.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where application_name like 'framehold%'`,
  );
  // What each node may have at most, by `catalog.connections_max`.
  assert.ok((row?.count ?? 0) <= 2 * 16, `${row?.count} connections`);
  await noPlaceTaken(cluster);
}

test('PostgreSQL is restarted: callers get 503 or success, and are served again', async (t) => {
  const { postgres } = cluster.parts;
  const { statuses } = await through(cluster, 'restarted', async (traffic) => {
    await postgres.down();
    await traffic.answered(10, 503);
    await postgres.up();
  });
  t.diagnostic(`answers: ${JSON.stringify([...statuses])}`);
  await nothingLeaks();
});

test('PostgreSQL crashes: what was acknowledged is there', async (t) => {
  const { postgres } = cluster.parts;
  const { statuses } = await through(cluster, 'crashed', async () => {
    await postgres.down('SIGQUIT');
    await postgres.up();
  });
  t.diagnostic(`answers: ${JSON.stringify([...statuses])}`);
  await nothingLeaks();
});

test('PostgreSQL hangs for longer than a statement may take: callers get 503 or 504, and are served again', async (t) => {
  const { postgres } = cluster.parts;
  const { statuses } = await through(cluster, 'paused', async () => {
    postgres.pause();
    await timePasses(3 * timeoutMs, 'longer than a statement may take');
    postgres.resume();
  });
  t.diagnostic(`answers: ${JSON.stringify([...statuses])}`);
  await nothingLeaks();
});
