import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AcknowledgedWrites } from '../../server/test/support/cluster/acknowledged-writes.ts';
import { FaultyCluster } from '../../server/test/support/cluster/cluster-faults.ts';

/** A share in CI: one round of each kind that other files do not have. `npm run nightly -- faults` does five hundred of all kinds. */
const rounds = Number(process.env.FAULT_ROUNDS ?? 0);
const share = [
  'two nodes are killed',
  'PostgreSQL fails over without its last transactions',
  'S3 flips bits',
  'PostgreSQL cannot write its log',
  'S3 has lost an object that has another form',
] as const;

let faulty: FaultyCluster;
before(async () => {
  faulty = await FaultyCluster.start();
});
after(() => faulty?.remove());

test('whatever fails, every acknowledged write is on every node', async (t) => {
  const { faults, cluster } = faulty;
  const kinds = rounds === 0 ? share : Object.keys(faults);
  const counts = new Map<string, { rounds: number; writes: number }>();
  const writes = new AcknowledgedWrites(
    cluster.nodes.map(({ url }) => url),
    6,
  );
  for (let round = 0; round < (rounds || kinds.length); round++) {
    const kind = kinds[round % kinds.length] as string;
    const before = writes.acknowledged;
    writes.begin();
    await writes.more(10);
    await faults[kind]?.(writes);
    await faulty.isWell();
    await writes.more(10);
    await writes.pause();
    for (const { url } of cluster.nodes) await writes.compare(url);
    // At once: of a run of an hour that is ended early something shall be known.
    console.log(`round ${round + 1}: ${kind}, ${writes.acknowledged - before} acknowledged writes`);
    assert.deepEqual(writes.wrong, [], `round ${round + 1}: ${kind}`);
    const counted = counts.get(kind) ?? { rounds: 0, writes: 0 };
    counts.set(kind, {
      rounds: counted.rounds + 1,
      writes: counted.writes + writes.acknowledged - before,
    });
  }
  for (const [kind, { rounds: done, writes: acknowledged }] of counts)
    t.diagnostic(`| ${kind} | ${done} | ${acknowledged} |`);
  t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(writes.statuses))}`);
});
