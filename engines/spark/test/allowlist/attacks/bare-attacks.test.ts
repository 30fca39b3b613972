import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { OwnSparkConnect } from '../../support/spark-connect-server.ts';
import { inWholeSparkRun } from '../../support/spark-run.ts';
import { allAttacks } from './all-attacks.ts';
import { inPlace } from './attack.ts';
import { BareConnect, type Observation } from './bare-connect.ts';

/** Every n-th. Each takes a quarter of a second on quiet cores. */
const step = inWholeSparkRun(1, 12);

/** A Connect of its own: some change what all of its sessions share. */
suite('what the attacks do to a Spark Connect without an allowlist', () => {
  let connect: OwnSparkConnect;
  let bare: BareConnect;

  before(async () => {
    connect = await OwnSparkConnect.start();
    bare = await BareConnect.open(connect.url, join(connect.folder, 'secrets'));
  });

  after(async () => {
    await bare.close();
    await connect.stop();
  });

  for (const [group, attacks] of Object.entries(allAttacks))
    test(group, async () => {
      for (const [sql, expected] of attacks.filter((_, index) => index % step === 0)) {
        const observed = await bare.try(inPlace(sql, bare.folder, bare.port));
        assert.deepEqual([sql, outcomeOf(observed)], [sql, outcomeOf(expected)]);
      }
    });
});

/** Whether a list has rows depends on what ran before. */
function outcomeOf(observation: Observation): Observation {
  return observation === 'answers' ? 'runs' : observation;
}
