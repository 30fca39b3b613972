import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frames } from '../../../src/frames/frames.ts';
import { openIdentity } from '../../../src/model/caller.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { findFrame } from '../../../src/sql/tables/find-frame.ts';
import { assertTook } from '../../support/machine-pace.ts';

const caller = { ...openIdentity, remote: '', requestId: '' };
const never = new AbortController().signal;
const frames = {
  resolve: async () => {
    throw new FrameholdError('frame_not_found', 'There is no such frame.');
  },
  names: async (_caller: unknown, { prefix }: { readonly prefix: string }) =>
    ['Trades', 'tickers'].filter((name) => name.toLowerCase().startsWith(prefix)),
} as unknown as Frames;

async function hintFor(written: string): Promise<string | undefined> {
  const error = await findFrame(frames, caller, written, never).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof FrameholdError && error.kind === 'frame_not_found', String(error));
  return error.hint;
}

test('a name that is nearly one is suggested as it is spelled, with or without a version', async () => {
  assert.equal(await hintFor('traeds'), 'There is a frame "Trades".');
  assert.equal(await hintFor('TRADE@3'), 'There is a frame "Trades".');
  assert.match((await hintFor('orders')) ?? '', /GET \/v1\/frames lists them/);
});

test('a name of 250,000 at-signs is refused at once', async () => {
  const began = performance.now();
  await hintFor(`${'@'.repeat(250_000)}\nx`);
  assertTook(performance.now() - began, 100);
});
