/**
 * Two tenants at work on one server at the same time, each with 300 steps of every sort, and trying to get at what the other one has. The
 * answers to a tenant must be, to the last byte, those of a server that nobody else uses: then it has learned nothing of the other.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';
import { emptyMemory, type Memory, Side } from './two-tenants-side.ts';
import { anyStep, nearName, type Step, writesForeign } from './two-tenants-steps.ts';

/** The same again: TWO_TENANTS_SEED=… */
const seed = Number(process.env.TWO_TENANTS_SEED ?? randomInt(2 ** 31));
const steps = Number(process.env.TWO_TENANTS_STEPS ?? inLongRun(300, 80));

/** Words that occur nowhere else. They are the names of the tenants, too. */
const markers = ['quokkazahir', 'wombatyxlop'] as const;
type Tenant = 0 | 1;
const both: readonly Tenant[] = [0, 1];

let bodies: readonly (readonly Uint8Array[])[];
/** The one that both use, and one for each alone. */
let together: Framehold;
let alone: readonly Framehold[];

before(async () => {
  const sizes = { 0: [1_000, 2_000, 3_000], 1: [7, 14, 21] } as const;
  const tables: Record<string, string> = {};
  for (const tenant of both) {
    const marker = markers[tenant];
    for (const [index, rows] of sizes[tenant].entries())
      tables[`${tenant}-${index}`] =
        `pa.table({'n': pa.array(range(${rows}), pa.int64()), '${marker}_column': ['${marker} %d' % n for n in range(${rows})]})`;
    tables[`${tenant}-3`] = `pa.table({'${marker}_other': pa.array([1.5, None])})`;
  }
  // Old versions are removed at some time in the background: the same at all servers is only that none is.
  const env = {
    FRAMEHOLD_FRAMES_VERSIONS_KEEP: '1000',
    FRAMEHOLD_POSTGRES_BIND_ADDRESS: '127.0.0.1:0',
    FRAMEHOLD_POSTGRES_ALLOW_PLAINTEXT: 'true',
  };
  const start = () => Framehold.start({ env });
  const [made, ...servers] = await Promise.all([arrowBytes(tables), start(), start(), start()]);
  bodies = both.map((tenant) => [0, 1, 2, 3].map((index) => made[`${tenant}-${index}`] as Uint8Array));
  [together, ...alone] = servers as [Framehold, Framehold, Framehold];
});
after(async () => {
  for (const framehold of [together, ...alone]) await framehold?.remove();
});

function sideOf(framehold: Framehold, tenant: Tenant, loot: () => Memory): Side {
  using credentials = new TestCredentials(framehold.dataDirectory);
  const token = credentials.create({ tenant: markers[tenant], scopes: ['write'], name: 'side' });
  return new Side({
    http: framehold.url,
    grpc: new URL(framehold.grpcUrl).host,
    postgresPort: framehold.nodes > 1 ? null : Number(framehold.postgresUrl.port),
    token,
    marker: markers[tenant],
    other: markers[tenant === 0 ? 1 : 0],
    bodies: bodies[tenant] ?? [],
    loot,
  });
}

/** What was said, and what of the other tenant's was at hand. */
interface Taken {
  readonly step: Step;
  readonly said: readonly string[];
  readonly loot: Memory;
}

async function takeAll(side: Side, all: readonly Step[], loot: (index: number) => Memory): Promise<Taken[]> {
  const taken: Taken[] = [];
  for (const [index, step] of all.entries()) {
    const atHand = loot(index);
    taken.push({ step, said: await side.take(step), loot: atHand });
  }
  return taken;
}

async function run(plans: readonly (readonly Step[])[]): Promise<void> {
  const seen: [Memory, Memory] = [emptyMemory(), emptyMemory()];
  const sides = both.map((tenant) => sideOf(together, tenant, () => seen[tenant]));
  const shared = await Promise.all(
    both.map((tenant) =>
      takeAll(sides[tenant] as Side, plans[tenant] ?? [], () => {
        // As it is when the step begins: the other one goes on meanwhile.
        seen[tenant] = { ...(sides[1 - tenant] as Side).memory };
        return seen[tenant];
      }),
    ),
  );
  const lastWords = await Promise.all(sides.map((side) => side.everything()));
  for (const side of sides) side[Symbol.dispose]();
  await Promise.all(
    both.map(async (tenant) => {
      const told = shared[tenant] ?? [];
      let loot = emptyMemory();
      using side = sideOf(alone[tenant] as Framehold, tenant, () => loot);
      const single = await takeAll(side, plans[tenant] ?? [], (index) => {
        loot = told[index]?.loot ?? loot;
        return loot;
      });
      for (const [index, { step, said }] of told.entries()) {
        const where = `tenant ${tenant}, step ${index}: ${JSON.stringify(step)}`;
        checkMarkers(tenant, step, said, where);
        assert.deepEqual(said.map(steady), single[index]?.said.map(steady), where);
      }
      assert.deepEqual(lastWords[tenant]?.map(steady), (await side.everything()).map(steady));
    }),
  );
}

function checkMarkers(tenant: Tenant, step: Step, said: readonly string[], where: string): void {
  const [own, other] = [markers[tenant], markers[tenant === 0 ? 1 : 0]];
  // What a tenant writes itself may come back in an answer; that nothing else does is seen by comparing.
  if (writesForeign(step, (index) => nearName(own, other, index), other)) return;
  for (const text of said) assert.ok(!text.toLowerCase().includes(other), `${where} reveals: ${text}`);
}

/**
 * Without what is new each time: ids, times, ports, signatures, the node that answered, how the parts of a frame have been compacted so far, and
 * plans, which leave out a filter if the engine process that the statement got has read the statistics of the tenant's file before.
 */
function steady(text: string): string {
  // A node hears of the end of another's statement up to a second later. Whose statements they are is looked at elsewhere (checkMarkers).
  const known = together.nodes > 1 ? text.replace(/"(queries|history)":\[.*\]/g, 'LATER') : text;
  return known
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'REQUEST')
    .replace(/\b(cursor(?:=|: ))([\w-]+)/g, (_, before, cursor) => before + Buffer.from(cursor, 'base64url'))
    .replace(/\b(q_|f_)?[2-7a-z]{26}\b/g, 'ID')
    .replace(/\b(ID\.\d+)\.\d{13}\b/g, '$1.TIME')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/127\.0\.0\.1:\d+/g, 'HERE')
    .replace(/fhl_[\w.-]+/g, 'LINK')
    .replace(/\d+\.\d+ ?s\b/g, 'SECONDS')
    .replace(/"(settling|storage|statements)":\{[^}]*\}/g, 'NOW')
    .replace(/"id":"\d+"|"(elapsedMs|durationMs)":\d+/g, 'ENTRY')
    .replace(/"parts":\d+/g, 'PARTS')
    .replace(/("physical_plan",)"(?:[^"\\]|\\.)*"/g, '$1PLAN')
    .replace(/^(framehold(?:-warm)?-node: ).*$/gm, '$1NODE');
}

test(`neither of two tenants learns anything of the other (TWO_TENANTS_SEED=${seed})`, async (t) => {
  const plan = fc.array(anyStep, { minLength: steps, maxLength: steps, size: 'max' });
  await fc.assert(
    fc.asyncProperty(plan, plan, async (first, second) => run([first, second])),
    { seed, numRuns: 1, endOnFailure: true },
  );
  t.diagnostic(`${steps} steps each`);
});
