/** Puts that would exceed the tenant's quota are refused while their bytes come. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PutTarget } from '../../../src/frames/frames.ts';
import { type Caller, openCaller } from '../../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../../src/model/errors.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

const bytesMax = 1_000;
const target: PutTarget = { name: 'n', mode: 'replace', format: 'csv', originFormat: 'csv' };
const never = new AbortController().signal;
const folder = temporaryFolder('put-quota');
const quotaOf = (tenant: string) => (tenant === 'free' ? null : { bytesMax, framesMax: null });
const core = await openCore(folder, { quotaOf });

after(async () => {
  await core.close();
  removeFolder(folder);
});

const begin = (caller: Caller = openCaller, more: Partial<PutTarget> = {}) =>
  core.frames.beginPut(caller, { ...target, ...more }, never);

const isKind = (kind: ErrorKind) => (error: unknown) =>
  error instanceof FrameholdError && error.kind === kind;

test('puts under way count together, and no longer when they have ended', async () => {
  const first = await begin();
  await first.write([Buffer.alloc(600)]);
  await first.sent([Buffer.alloc(300)]);
  const second = await begin();
  await assert.rejects(second.write([Buffer.alloc(200)]), isKind('quota_exceeded'));
  await second.abort();
  await first.abort();
  const third = await begin();
  await third.write([Buffer.alloc(bytesMax)]);
  await assert.rejects(third.write([Buffer.alloc(1)]), isKind('quota_exceeded'));
  await third.abort();
});

test('what is given to a put that has ended is not counted: nobody would subtract it', async () => {
  const late = await begin();
  await late.abort();
  for (const given of [late.sent([Buffer.alloc(900)]), late.write([Buffer.alloc(900)])])
    await assert.rejects(given, isKind('cancelled'));
  const next = await begin();
  await next.write([Buffer.alloc(900)]);
  await next.abort();
});

test('announced bytes that do not fit are refused before they come, and hold no place', async () => {
  for (let count = 0; count < 20; count++)
    await assert.rejects(begin(openCaller, { bytesAnnounced: bytesMax + 1 }), isKind('quota_exceeded'));
  await (await begin(openCaller, { bytesAnnounced: bytesMax })).abort();
});

test('a tenant without a quota, or another tenant, is not touched', async () => {
  const first = await begin();
  await first.write([Buffer.alloc(bytesMax)]);
  for (const [tenant, bytes] of [
    ['free', 10 * bytesMax],
    ['other', bytesMax],
  ] as const) {
    const session = await begin({ ...openCaller, tenant });
    await session.write([Buffer.alloc(bytes)]);
    await session.abort();
  }
  await first.abort();
});

test('the bytes of a repeated put do not count: nothing of them is stored', async () => {
  const body = Buffer.from(`n\n${'x'.repeat(500)}\n`);
  const repeated = { idempotencyKey: 'k', bytesAnnounced: body.length };
  const first = await begin(openCaller, repeated);
  await first.write([body]);
  const { record } = await first.finish();
  assert.ok(record.bytes + body.length > bytesMax, 'a second one does not fit');
  await assert.rejects(begin(openCaller, { bytesAnnounced: body.length }), isKind('quota_exceeded'));
  const again = await begin(openCaller, repeated);
  await again.write([body]);
  assert.deepEqual([(await again.finish()).replayed, record.version], [true, 1]);
});
