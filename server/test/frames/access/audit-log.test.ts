/** The audit log of what no caller can show in time: moments between two steps of a put, and words too long for a line. */
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { PutTarget } from '../../../src/frames/frames.ts';
import { type Caller, openCaller } from '../../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../../src/model/errors.ts';
import type { TenantQuota } from '../../../src/model/limits/tenant-limit-values.ts';
import { eventually } from '../../support/patience.ts';
import { arrowBytes } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('audit-log');
const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
let quota: TenantQuota | null = null;
const core = await openCore(folder, { quotaOf: () => quota });
const { frames } = core;

after(async () => {
  await core.close();
  removeFolder(folder);
});
beforeEach(() => {
  core.observations.length = 0;
  quota = null;
});

const target = (name: string, more: Partial<PutTarget> = {}): PutTarget => ({
  name,
  mode: 'replace',
  format: 'arrow',
  originFormat: 'arrow',
  ...more,
});

async function put(wanted: PutTarget, caller: Caller = openCaller): Promise<void> {
  const session = await frames.beginPut(caller, wanted, never);
  try {
    await session.write([table]);
    await session.finish();
  } finally {
    await session.abort();
  }
}

function told(): unknown[] {
  return core.observations.flatMap((each) =>
    each.event === 'audit' ? [[each.action, each.outcome, each.reason, each.caller, each.frame]] : [],
  );
}

test('a put over an expired frame leaves two lines: the expiry and the put', async () => {
  await put(target('brief', { ttlMs: 1 }));
  const by = Date.now() + 1;
  await eventually('its time is over', () => Date.now() > by);
  await put(target('Brief'));
  assert.deepEqual(told(), [
    ['frame.put', 'done', null, 'anonymous', 'brief@1'],
    ['frame.expired', 'done', null, null, 'brief'],
    ['frame.put', 'done', null, 'anonymous', 'Brief@2'],
  ]);
});

test('the answer to a key that came again is no change, whichever of two looks finds it', async () => {
  const wanted = target('once', { idempotencyKey: 'k' });
  const late = await frames.beginPut(openCaller, wanted, never);
  await put(wanted);
  await put(wanted);
  await late.write([table]);
  assert.equal((await late.finish()).replayed, true);
  assert.deepEqual(told(), [['frame.put', 'done', null, 'anonymous', 'once@1']]);
});

test('the line about a credential that has ended meanwhile names the frame', async () => {
  const caller = { ...openCaller, isCurrent: () => false };
  await assert.rejects(put(target('late', { mode: 'replace' }), caller), isKind('unauthenticated'));
  assert.deepEqual(told(), [['frame.put', 'refused', 'unauthenticated', 'anonymous', 'late']]);
});

test('a put that is refused at several of its steps leaves one line', async () => {
  let isCurrent = true;
  const caller = { ...openCaller, isCurrent: () => isCurrent };
  const { bytes } = await core.catalog.usage(openCaller.tenant);
  quota = { bytesMax: bytes + 10, framesMax: null };
  const session = await frames.beginPut(caller, target('full'), never);
  for (const step of [session.write([table]), session.sent([table])])
    await assert.rejects(step, isKind('quota_exceeded'));
  isCurrent = false;
  await assert.rejects(session.finish(), isKind('unauthenticated'));
  assert.deepEqual(told(), [['frame.put', 'refused', 'quota_exceeded', 'anonymous', 'full']]);
});

test('what fails for another reason than a refusal is not in the audit log', async () => {
  await assert.rejects(put(target('absent', { mode: 'append' })), isKind('frame_not_found'));
  await assert.rejects(put(target('absent', { ifVersion: { version: 3 } })), isKind('version_mismatch'));
  assert.deepEqual(told(), []);
});

test('a line stays a line, however long the name is that somebody wrote', async () => {
  const caller = { ...openCaller, scopes: new Set<never>() };
  await assert.rejects(put(target('x'.repeat(1e6)), caller), isKind('access_denied'));
  assert.ok(JSON.stringify(core.observations).length < 2_000);
  assert.equal(told().length, 1);
});

function isKind(kind: ErrorKind): (error: unknown) => boolean {
  return (error) => error instanceof FrameholdError && error.kind === kind;
}
