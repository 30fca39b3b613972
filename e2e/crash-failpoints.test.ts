/**
 * kill -9 at each named step and at random instants, on real data, again and again: every acknowledged change is there,
 * complete and equal; anything else that is visible is whole; nothing is left over.
 *
 * CRASH_SEED chooses the random instants. `npm run test:long -- crash` runs a hundred rounds.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { attemptOfKey } from '../server/src/frames/objects/part-keys.ts';
import { type Failpoint, failpoints } from '../server/src/model/failpoints.ts';
import { idTime } from '../server/src/model/handle.ts';
import {
  catalogFaults,
  catalogKeys,
  catalogParts,
  objectFiles,
} from '../server/test/support/catalog-file.ts';
import { getText } from '../server/test/support/frame-client.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { inLongRun } from '../server/test/support/long-run.ts';
import { timePasses } from '../server/test/support/passing-time.ts';
import { patienceMs } from '../server/test/support/patience.ts';
import { CrashClient, type Workload } from './crash-client.ts';

const versionsKeep = 2;
/** Each lane has a server, a data directory and a client of its own. */
const laneCount = 2;
/** Work goes on for so long at most: a step that is not reached by then is none of this workload's. */
const workSeconds = 25;

const randomRoundsMin = 2;
const roundCount = inLongRun(100, 0);
const seed = Number(process.env.CRASH_SEED ?? '20260801');

/** The process dies at this occurrence of the step. */
interface AtStep {
  readonly step: Failpoint;
  readonly occurrence: number;
}

interface Round {
  readonly title: string;
  /** Where the working server dies: at a step, or after a time. */
  readonly death: AtStep | { readonly afterMs: number };
  /** Where the servers die that start after it, before one is let alone. */
  readonly again: readonly (AtStep | { readonly afterMs: number })[];
}

/** Steps of a start: the first ever, and one that finds something to remove. */
const firstStartStep = 'start:layout-staged';
const recoverySteps = ['start:locked', 'start:swept'] as const satisfies readonly Failpoint[];
/** Results are written by engines on other machines; `spark/into-crash.test.ts` dies at their steps. */
const workSteps = failpoints.filter((step) => !step.startsWith('start:') && !step.startsWith('result:'));
/** Every step in a long run; else the last ones of the changes that people wait for, which is where a change is whole or is not. */
const triedSteps: readonly Failpoint[] = inLongRun(workSteps, [
  'put:committed',
  'append:renumbered',
  'transcode:recorded',
  'compact:recorded',
  'drop:recorded',
  'catalog:synced',
]);

/** The catalog changes with everything, sweeps that find nothing included: later occurrences are in the midst of work. */
function occurrences(step: Failpoint): readonly number[] {
  return step.startsWith('catalog:') ? [23, 7] : [1, 2];
}

function stepRounds(index: number): Round[] {
  return triedSteps.map((step) => {
    const occurrence = occurrences(step)[index] ?? 1;
    return { title: `at ${step}, occurrence ${occurrence}`, death: { step, occurrence }, again: [] };
  });
}

/** What is left by a death before the commit, and a start that dies at each of its own steps. */
const recoveryRounds: readonly Round[] = inLongRun(
  ['put:published', 'transcode:adopted'] as const,
  ['put:published'] as const,
).map((step) => ({
  title: `at ${step}, and again at each step of the starts that follow`,
  death: { step, occurrence: 1 },
  again: recoverySteps.map((start) => ({ step: start, occurrence: 1 })),
}));

function randomRounds(count: number): Round[] {
  const random = mulberry32(seed);
  return Array.from({ length: count }, (_, index) => {
    const afterMs = Math.round(50 + random() * 4_000);
    const again = index % 2 === 0 ? [] : [{ afterMs: Math.round(random() * 800) }];
    const then = again.map((kill) => `, and ${kill.afterMs} ms into the next start`).join('');
    return { title: `after ${afterMs} ms of work${then}`, death: { afterMs }, again };
  });
}

/** Each step that is tried once in any case; twice, and random instants, as far as the rounds go. */
function plan(): Round[] {
  const always = [...stepRounds(0), ...recoveryRounds];
  const twice = roundCount > always.length ? stepRounds(1) : [];
  const chosen = [...always, ...twice];
  return [...chosen, ...randomRounds(Math.max(randomRoundsMin, roundCount - chosen.length))];
}

function mulberry32(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The background's own steps are reached sooner with little to do before them. */
function workFor(death: Round['death']): Workload {
  if ('afterMs' in death) return death.afterMs % 4 === 0 ? 'many' : 'all';
  if (death.step === 'transcode:adopted' && death.occurrence > 1) return 'wide';
  if (death.step.startsWith('compact:')) return 'many';
  return /^(transcode|evict):/.test(death.step) ? 'few' : 'all';
}

/** One server and one client, through many deaths on the same data. */
class Lane {
  readonly #framehold: Framehold;
  readonly #client: CrashClient;
  readonly #arming: string;
  #round = 0;
  #launchedAt = 0;

  private constructor(framehold: Framehold, client: CrashClient) {
    this.#framehold = framehold;
    this.#client = client;
    this.#arming = join(framehold.home, 'armed');
  }

  static async start(): Promise<Lane> {
    return new Lane(prepareServer(), await CrashClient.start(versionsKeep));
  }

  async remove(): Promise<void> {
    this.#client.stop();
    await this.#framehold.kill();
    await this.#framehold.remove();
  }

  /** Starts a server that will die as the round says, but not before it is armed. */
  async launchFor(round: Round | undefined): Promise<void> {
    this.#launchedAt = Date.now();
    await this.#framehold.start(round === undefined ? {} : crashEnvironment(round.death, this.#arming));
  }

  async run(round: Round, next: Round | undefined): Promise<number> {
    const acknowledged = await this.#die(round);
    for (const death of round.again) await this.#dieWhileStarting(death);
    await this.launchFor(next);
    const atOnce = await this.#client.check(this.#framehold, false);
    assert.deepEqual(atOnce.faults, [], 'right after the start');
    await this.#quiet();
    const later = await this.#client.check(this.#framehold, true);
    assert.deepEqual(later.faults, [], 'after the background has done its work');
    return acknowledged;
  }

  /** Works until the server is dead. */
  async #die({ death }: Round): Promise<number> {
    const framehold = this.#framehold;
    this.#round += 1;
    writeFileSync(this.#arming, '');
    const working = this.#client.work(framehold, this.#round, workSeconds, workFor(death));
    if ('afterMs' in death) {
      await timePasses(death.afterMs, 'death comes at any moment');
      await framehold.kill();
    }
    const { acknowledged, faults } = await working;
    assert.deepEqual(faults, [], 'while it worked');
    // The client sees the closed socket a little sooner than we see the end of the process.
    const signal = await framehold.death(2_000).catch((cause: Error) => {
      throw new Error(`the workload does not reach ${JSON.stringify(death)}`, { cause });
    });
    assert.equal(signal, 'SIGKILL', framehold.lines.slice(-20).join('\n'));
    rmSync(this.#arming);
    this.#noErrors();
    return acknowledged;
  }

  /** Nothing that the clients or the background did is a fault of the server. */
  #noErrors(): void {
    const errors = this.#framehold.lines.filter((line) => line.includes('"level":"error"'));
    assert.deepEqual(errors, [], 'no error in the log');
  }

  async #dieWhileStarting(death: Round['death']): Promise<void> {
    const framehold = this.#framehold;
    if ('afterMs' in death) {
      framehold.launch();
      await timePasses(death.afterMs, 'death comes at any moment');
      await framehold.kill();
      return;
    }
    writeFileSync(this.#arming, '');
    framehold.launch(crashEnvironment(death, this.#arming));
    assert.equal(await framehold.death(), 'SIGKILL', JSON.stringify(death));
    rmSync(this.#arming);
  }

  /** Until everything that the background has to do is done, and the files are those that the catalog knows. */
  async #quiet(): Promise<void> {
    let left = this.#leftToDo();
    let changedAt = Date.now();
    while (Object.values(left).some((list) => list.length > 0)) {
      const text = JSON.stringify(left);
      assert.ok(Date.now() - changedAt < patienceMs, `the background does not come to rest: ${text}`);
      await timePasses(50, 'between two looks');
      left = this.#leftToDo();
      if (JSON.stringify(left) !== text) changedAt = Date.now();
    }
    this.#noErrors();
  }

  #leftToDo() {
    const { dataDirectory } = this.#framehold;
    const parts = catalogParts(dataDirectory);
    const { keys, temporary } = objectFiles(dataDirectory);
    const catalog = catalogKeys(dataDirectory);
    const live = new Set(catalog.live);
    const files = new Set(keys);
    return {
      // What was appended may wait for more of its kind.
      untranscoded: parts.filter(
        (part) => !part.appended && part.parquet === 'none' && part.refusal === null,
      ),
      notEvicted: parts.filter(({ parquet, hasArrow }) => parquet === 'exact' && hasArrow),
      garbage: catalog.garbage,
      // What a dead server stored and did not record stays for two days: collection.test.ts sees it go.
      orphans: keys.filter((key) => !live.has(key) && madeSince(key, this.#launchedAt)),
      missing: catalog.live.filter((key) => !files.has(key)),
      temporary,
      catalogFaults: catalogFaults(dataDirectory),
    };
  }
}

function madeSince(key: string, since: number): boolean {
  return (idTime(attemptOfKey(key)) ?? Number.POSITIVE_INFINITY) >= since;
}

function prepareServer(): Framehold {
  return Framehold.prepare({
    imports: [join(import.meta.dirname, '..', 'server', 'test', 'support', 'crash-at-failpoint.ts')],
    // No room for Arrow forms beside exact Parquet forms: every part is transcoded and evicted.
    flags: ['--cache-size', '0', '--frames-versions-keep', String(versionsKeep)].concat([
      '--jobs-sweep-interval-ms',
      '150',
    ]),
  });
}

function crashEnvironment(death: Round['death'], arming: string): Record<string, string> {
  return 'step' in death ? { CRASH_AT: `${death.step}#${death.occurrence}`, CRASH_ARMED_BY: arming } : {};
}

async function runLane(t: TestContext, rounds: readonly Round[]): Promise<void> {
  const lane = await Lane.start();
  t.after(() => lane.remove());
  await lane.launchFor(rounds[0]);
  let acknowledged = 0;
  for (const [index, round] of rounds.entries()) {
    let passed = false;
    await t.test(round.title, async () => {
      acknowledged += await lane.run(round, rounds[index + 1]);
      passed = true;
    });
    // What comes after would only repeat the first finding.
    if (!passed) return;
  }
  assert.ok(acknowledged > rounds.length, `only ${acknowledged} changes were acknowledged`);
  t.diagnostic(`${rounds.length} rounds, ${acknowledged} acknowledged changes`);
}

test('kill -9: every acknowledged change is complete and equal, nothing is left over', {
  concurrency: laneCount,
}, async (t) => {
  const rounds = plan();
  const lanes = Array.from({ length: laneCount }, (_, lane) =>
    rounds.filter((_, index) => index % laneCount === lane),
  );
  await Promise.all(lanes.map((own, lane) => t.test(`lane ${lane + 1}`, (t) => runLane(t, own))));
});

test('a first start that dies before its layout is written does not keep the next one from starting', async (t) => {
  const framehold = prepareServer();
  t.after(() => framehold.remove());
  const arming = join(framehold.home, 'armed');
  // Once in the data directory, then in the directory of the Parquet forms.
  for (let death = 1; death <= 2; death++) {
    writeFileSync(arming, '');
    framehold.launch(crashEnvironment({ step: firstStartStep, occurrence: death }, arming));
    assert.equal(await framehold.death(), 'SIGKILL');
    assert.equal(existsSync(join(framehold.dataDirectory, 'format.json')), death === 2);
  }
  await framehold.start();
  assert.equal((await getText(`${framehold.url}/readyz`)).status, 200);
  assert.deepEqual(
    readdirSync(framehold.dataDirectory, { recursive: true }).filter((file) => String(file).endsWith('.new')),
    [],
  );
});
