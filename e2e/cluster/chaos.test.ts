import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChaos } from '../../server/test/support/cluster/chaos-run.ts';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import { checkHistory } from '../../server/test/support/history/check-history.ts';
import type { Operation } from '../../server/test/support/history/operation.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';

/** CHAOS_SECONDS is for looking at something for longer or shorter. */
const seconds = Number(process.env.CHAOS_SECONDS ?? inLongRun(20 * 60, 60));
/** Any number; a failure names it. */
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 1_000_000));

test('while nodes are killed and restarted, 16 clients lose nothing and see nothing twice, out of order or wrong', async (t) => {
  const cluster = await Cluster.start({
    settings: {
      // All versions can be read in the end; parts are compacted, transcoded, evicted and collected all the time.
      'frames-versions-keep': '100000',
      'frames-undrop-hours': '0',
      'jobs-sweep-interval-ms': '1000',
      'jobs-garbage-delay-ms': '5000',
    },
  });
  t.after(() => cluster.remove());
  let kills = 0;
  const { url, grpcUrl } = cluster;
  // Two at a time, so that one node often has to do alone.
  const kill = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await timePasses(1_000 + Math.random() * 4_000, 'death comes at any moment');
      const up = cluster.nodes.filter(({ isUp }) => isUp);
      const node = up[Math.floor(Math.random() * up.length)];
      if (node === undefined || up.length < 2) continue;
      await node.kill();
      kills += 1;
      await timePasses(Math.random() * 1_000, 'so does the next life');
      await node.start();
    }
  };
  const run = await runChaos({ url, grpcUrl, seconds, seed }, async (signal) => {
    await Promise.all([kill(signal), kill(signal)]);
  });
  t.diagnostic(
    `seed ${seed}, ${kills} kills, ${run.retries} tries without an answer: ${JSON.stringify(run.reasons)}`,
  );
  t.diagnostic(JSON.stringify(countsOf(run.operations)));
  const { faults, compared } = checkHistory(run.operations);
  t.diagnostic(`${compared} answers compared with what was written`);
  assert.deepEqual(faults, [], `seed ${seed}`);
  assert.deepEqual(run.unexpected, [], 'answers that no caller should get');
  const counts = countsOf(run.operations);
  for (const kind of ['create', 'replace', 'append', 'read', 'sql', 'drop'])
    assert.ok((counts[`${kind} ok`] ?? 0) > 0, `no ${kind} succeeded`);
  assert.ok(compared > seconds / 2 && kills >= seconds / 30, `only ${compared} answers and ${kills} kills`);
  await nothingLeaks(cluster);
});

function countsOf(operations: readonly Operation[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, outcome } of operations)
    counts[`${kind} ${outcome}`] = (counts[`${kind} ${outcome}`] ?? 0) + 1;
  return counts;
}

/** Every object that a part has is in the bucket. */
async function nothingLeaks(cluster: Cluster): Promise<void> {
  const known = await cluster.query<{ key: string }>('select key from objects');
  const stored = new Set((await cluster.objectKeys()).map((key) => key.slice('frames/'.length)));
  assert.deepEqual(
    known.map(({ key }) => key).filter((key) => !stored.has(key)),
    [],
    'objects that the catalog has and the bucket has not',
  );
}
