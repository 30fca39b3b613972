/** A key that comes again: the same request is answered as the first time, another one is refused. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PutOutcome, PutTarget } from '../../../src/frames/frames.ts';
import { putFingerprint, restoreFingerprint } from '../../../src/frames/writing/fingerprints.ts';
import { numberGuard as allows } from '../../../src/frames/writing/put-conditions.ts';
import { openCaller } from '../../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../../src/model/errors.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('replayed-put');
/** Done once, the next time that the catalog is asked for a version. */
let beforeLook: (() => Promise<unknown>) | null = null;
const core = await openCore(folder, {
  wrapCatalog: (catalog) => {
    const resolve = catalog.resolve.bind(catalog);
    catalog.resolve = async (...name) => {
      const before = beforeLook;
      beforeLook = null;
      await before?.();
      return resolve(...name);
    };
    return catalog;
  },
});
const { frames, store } = core;

after(async () => {
  await core.close();
  removeFolder(folder);
});

const csv = { mode: 'replace', format: 'csv', originFormat: 'csv' } as const;

async function put(
  name: string,
  pieces: readonly string[],
  more: Partial<PutTarget> = {},
): Promise<PutOutcome> {
  const target: PutTarget = { ...csv, name, ...more };
  const session = await frames.beginPut(openCaller, target, never);
  try {
    for (const piece of pieces) await session.write([Buffer.from(piece)]);
    return await session.finish();
  } finally {
    await session.abort();
  }
}

async function refused(work: Promise<unknown>, kind: ErrorKind): Promise<void> {
  await assert.rejects(work, (error) => error instanceof FrameholdError && error.kind === kind);
}

const newest = async (name: string) =>
  (await frames.resolve(openCaller, { name, version: null }, never)).version;
async function objectCount(): Promise<number> {
  let count = 0;
  for await (const keys of store.list()) count += keys.length;
  return count;
}

test('the same body, in whatever pieces it comes, is answered as the first time and not stored', async () => {
  const keyed = { idempotencyKey: 'same' };
  const first = await put('same', ['n\n1\n2\n'], keyed);
  const objects = await objectCount();
  const again = await put('same', ['n', '\n1\n', '2\n'], keyed);
  assert.deepEqual(
    [again.replayed, again.record.version, again.record.rows],
    [true, first.record.version, first.record.rows],
  );
  assert.equal(await newest('same'), 1);
  assert.equal(await objectCount(), objects);
});

test('another body with the same key is refused, and nothing of it is stored', async () => {
  const keyed = { idempotencyKey: 'other' };
  await put('other', ['n\n1\n'], keyed);
  const objects = await objectCount();
  for (const body of ['n\n2\n', 'n\n1\n2\n', 'n\n1', '', 'not,a\ntable'])
    await refused(put('other', [body], keyed), 'idempotency_conflict');
  assert.equal(await newest('other'), 1);
  assert.equal(await objectCount(), objects);
  assert.equal((await put('other', ['n\n1\n'], keyed)).replayed, true, 'the key is as it was');
});

test('of two bodies that race with one key, one is stored and the other refused', async () => {
  const target: PutTarget = { ...csv, name: 'raced', idempotencyKey: 'raced' };
  // Both have begun when neither has ended.
  const sessions = [
    await frames.beginPut(openCaller, target, never),
    await frames.beginPut(openCaller, target, never),
  ];
  for (const [index, session] of sessions.entries()) await session.write([Buffer.from(`n\n${index}\n`)]);
  const ends = await Promise.allSettled(sessions.map((session) => session.finish()));
  assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const lost = ends.find((end) => end.status === 'rejected');
  assert.equal((lost?.reason as FrameholdError | undefined)?.kind, 'idempotency_conflict');
  assert.equal(await newest('raced'), 1);
});

test('a repetition is answered before its condition is looked at: the first one has changed what that is about', async () => {
  await put('guarded', ['n\n1\n']);
  const keyed = { idempotencyKey: 'guarded', ifMatch: allows(1) };
  const first = await put('guarded', ['n\n2\n'], keyed);
  assert.equal(first.record.version, 2);
  assert.equal((await put('guarded', ['n\n2\n'], keyed)).record.version, 2);
  await refused(put('guarded', ['n\n2\n'], { ...keyed, ifMatch: allows(2) }), 'idempotency_conflict');
  await refused(put('guarded', ['n\n2\n'], { ifMatch: allows(1) }), 'version_mismatch');
  const back = { version: 1, idempotencyKey: 'back', ifMatch: allows(2) };
  for (let round = 0; round < 2; round++)
    assert.equal((await frames.restore(openCaller, 'guarded', back, never)).record.version, 3);
  await refused(
    frames.restore(openCaller, 'guarded', { ...back, ifMatch: allows(3) }, never),
    'idempotency_conflict',
  );
});

test('a repetition whose first request ends while it looks whether its condition holds', async () => {
  const created: Partial<PutTarget> = { mode: 'create', idempotencyKey: 'just-created' };
  beforeLook = () => put('just', ['n\n1\n'], created);
  assert.equal((await put('just', ['n\n1\n'], created)).record.version, 1);
  beforeLook = () => put('just2', ['n\n1\n'], { ...created, idempotencyKey: 'just-other' });
  await refused(
    put('just2', ['n\n2\n'], { ...created, idempotencyKey: 'just-other' }),
    'idempotency_conflict',
  );
  const back = { version: 1, idempotencyKey: 'just-back', ifMatch: allows(1) };
  beforeLook = () => frames.restore(openCaller, 'just', back, never);
  assert.equal((await frames.restore(openCaller, 'just', back, never)).record.version, 2);
  const appended: Partial<PutTarget> = {
    mode: 'append',
    idempotencyKey: 'just-appended',
    ifMatch: allows(2),
  };
  const late = await frames.beginPut(openCaller, { ...csv, name: 'just', ...appended }, never);
  await late.write([Buffer.from('n\n3\n')]);
  await put('just', ['n\n3\n'], appended);
  assert.deepEqual([(await late.finish()).record.version, await newest('just')], [3, 3]);
});

/** Nodes of the release before compute these, and compare them with those that they find. */
test('fingerprints are those of the release before', () => {
  const target: PutTarget = { name: 'n', mode: 'append', format: 'arrow', originFormat: 'arrow' };
  assert.equal(putFingerprint(target), '7b79630c0d65b06f3fea75f7fde393060d2d66e63b0bb7b89f3d7f1d01f888b2');
  assert.equal(
    putFingerprint({ ...target, ttlMs: 1_000, ifVersion: { version: 3 }, csv: { delimiter: ';' } }),
    'cb067e512c082d5d2e15dc206b0d0ab36ba306c00536955098d47036d099aede',
  );
  assert.equal(
    restoreFingerprint('n', { version: 3 }),
    '2db4325e7e45031445e96dbd8edfa26b78c032eeed830c59cb881f0827103a77',
  );
});
