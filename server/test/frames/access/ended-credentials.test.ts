/** A credential may be revoked, or expire, while its request waits. Then nothing begins for it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PutTarget } from '../../../src/frames/frames.ts';
import { type Caller, openCaller } from '../../../src/model/caller.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { Admission } from '../../../src/model/limits/admission.ts';
import { arrowBytes } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('ended-credentials');
const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
const one = (what: string) => new Admission({ what, max: 1, queueMax: 8, waitMs: 60_000 });
const [puts, reads] = [one('puts'), one('reads')];
const core = await openCore(folder, { puts, reads });
const { frames, observations } = core;

after(async () => {
  await core.close();
  removeFolder(folder);
});

/** A caller whose credential can be ended. */
function endable(): { readonly caller: Caller; end: () => void } {
  let current = true;
  return {
    caller: { ...openCaller, isCurrent: () => current },
    end: () => {
      current = false;
    },
  };
}

const targetOf = (name: string, format: 'arrow' | 'csv' = 'arrow'): PutTarget => ({
  name,
  mode: 'create',
  format,
  originFormat: format,
});

async function put(caller: Caller, name: string): Promise<void> {
  const session = await frames.beginPut(caller, targetOf(name), never);
  await session.write([table]);
  await session.finish();
}

const hasEnded = (error: unknown) => error instanceof FrameholdError && error.kind === 'unauthenticated';

function refusals(action: string): number {
  return observations.filter(
    (each) => each.event === 'audit' && each.action === action && each.reason === 'unauthenticated',
  ).length;
}

test('a read that waited for its turn does not begin, and the next one does', async () => {
  await put(openCaller, 'read');
  const handle = { name: 'read', version: null };
  const first = await frames.read(openCaller, handle, {}, never);
  const { caller, end } = endable();
  const ended = frames.read(caller, handle, {}, never);
  const next = frames.read(openCaller, handle, {}, never);
  await new Promise((resolve) => setImmediate(resolve));
  end();
  first.release();
  await assert.rejects(ended, hasEnded);
  (await next).release();
  assert.deepEqual([reads.running, refusals('frame.read')], [0, 1]);
});

test('a put that waited for its turn does not begin', async () => {
  const first = await frames.beginPut(openCaller, targetOf('held'), never);
  const { caller, end } = endable();
  const ended = frames.beginPut(caller, targetOf('waited'), never);
  await new Promise((resolve) => setImmediate(resolve));
  end();
  await first.abort();
  await assert.rejects(ended, hasEnded);
  assert.deepEqual([puts.running, refusals('frame.put')], [0, 1]);
});

test('a put whose decoding was under way is not committed', async () => {
  const { caller, end } = endable();
  const session = await frames.beginPut(caller, targetOf('decoded', 'csv'), never);
  await session.write([Buffer.from('n\n1\n')]);
  const finished = session.finish();
  end();
  await assert.rejects(finished, hasEnded);
  await assert.rejects(
    frames.resolve(openCaller, { name: 'decoded', version: null }, never),
    (error) => error instanceof FrameholdError && error.kind === 'frame_not_found',
  );
});

test('no method of the core does anything', async () => {
  await put(openCaller, 'kept');
  const { caller, end } = endable();
  end();
  const handle = { name: 'kept', version: null };
  const page = { prefix: '', after: null, limit: 10 };
  for (const work of [
    () => frames.resolve(caller, handle, never),
    () => frames.read(caller, handle, {}, never),
    () => frames.list(caller, page, never),
    () => frames.drop(caller, handle, { ifVersion: null, purge: false }, never),
    () => frames.undrop(caller, 'kept', never),
    () => frames.restore(caller, 'kept', { version: 1 }, never),
    () => frames.expire(caller, 'kept', { expires: { ttlMs: 1 } }, never),
    () => frames.beginPut(caller, targetOf('kept_too'), never),
  ])
    await assert.rejects(work, hasEnded);
  const { expiresAt } = await frames.resolve(openCaller, handle, never);
  assert.equal(expiresAt, null);
});
