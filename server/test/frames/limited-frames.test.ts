import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCaller } from '../../src/frames/caller.ts';
import { FrameholdError } from '../../src/frames/errors.ts';
import type { Frames, PutSession, PutTarget } from '../../src/frames/frames.ts';
import { LimitedFrames } from '../../src/frames/limited-frames.ts';
import { TenantLimits } from '../../src/frames/tenant-limits.ts';

const bytesMax = 1_000;
const target: PutTarget = { name: 'n', mode: 'replace', format: 'csv', originFormat: 'csv' };
const signal = new AbortController().signal;

/** A tenant that holds nothing, before a core that takes everything. */
function limitedFrames(): LimitedFrames {
  const session: PutSession = {
    write: async () => {},
    sent: async () => {},
    finish: async () => {
      throw new FrameholdError('bad_body', 'never whole');
    },
    abort: async () => {},
  };
  const frames = { beginPut: async () => session } as unknown as Frames;
  const catalog = { usage: async () => ({ frames: 0, bytes: 0 }) };
  const limits = new TenantLimits(() => ({
    queriesMax: null,
    streamsMax: null,
    requestsPerSecond: null,
    requestsBurst: 1,
  }));
  const quotaOf = () => ({ bytesMax, framesMax: null });
  return new LimitedFrames({ frames, catalog, limits, quotaOf });
}

const isOverQuota = (error: unknown) => error instanceof FrameholdError && error.kind === 'quota_exceeded';

test('puts under way count together, and no longer when they have ended', async () => {
  const frames = limitedFrames();
  const first = await frames.beginPut(openCaller, target, signal);
  await first.write([Buffer.alloc(600)]);
  await first.sent([Buffer.alloc(300)]);
  const second = await frames.beginPut(openCaller, target, signal);
  await assert.rejects(second.write([Buffer.alloc(200)]), isOverQuota);
  await second.abort();
  await first.abort();
  const third = await frames.beginPut(openCaller, target, signal);
  await third.write([Buffer.alloc(bytesMax)]);
  await third.abort();
});

test('what is given to a put that has ended is not counted: nobody would subtract it', async () => {
  const frames = limitedFrames();
  const late = await frames.beginPut(openCaller, target, signal);
  await late.abort();
  await late.sent([Buffer.alloc(900)]);
  await late.write([Buffer.alloc(900)]);
  const next = await frames.beginPut(openCaller, target, signal);
  await next.write([Buffer.alloc(900)]);
  await next.abort();
});
