import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pinnedWhile } from '../../../src/frames/objects/pinned-while.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import type { VersionRecord } from '../../../src/model/version.ts';
import type { JobPin } from '../../../src/ports/catalog/pins.ts';

const record = { tenant: 't', name: 'f', version: 3, versionId: 'id' } as VersionRecord;

class Pins {
  readonly made: JobPin[] = [];
  readonly ended: string[] = [];
  readonly first = Promise.withResolvers<void>();
  isGone = false;
  readonly now = () => 1_000;
  readonly catalog = {
    pinForJob: async (pin: JobPin) => {
      this.made.push(pin);
      this.first.resolve();
      if (this.isGone) throw new FrameholdError('frame_gone', 'gone');
    },
    unpinForJob: async (id: string) => {
      this.ended.push(id);
    },
  };
}

test('short work writes nothing', async () => {
  const pins = new Pins();
  assert.equal(await pinnedWhile(pins, record, 'statement', async () => 7), 7);
  assert.deepEqual([pins.made, pins.ended], [[], []]);
});

test('long work pins its version once, and unpins it however it ends', async () => {
  const pins = new Pins();
  const failure = new Error('of the work');
  const work = pinnedWhile(
    pins,
    record,
    'file-being-made',
    async () => {
      await pins.first.promise;
      throw failure;
    },
    0,
  );
  await assert.rejects(work, failure);
  const [pin] = pins.made;
  assert.equal(pins.made.length, 1);
  assert.deepEqual(pins.ended, [pin?.id]);
  const expected = { ...record, kind: 'file-being-made', until: 1_000 + 3_600_000 };
  assert.deepEqual(pin, { id: pin?.id, ...expected });
});

test('work goes on if its version cannot be pinned', async () => {
  const pins = new Pins();
  pins.isGone = true;
  await pinnedWhile(pins, record, 'statement', () => pins.first.promise, 0);
  assert.equal(pins.made.length, 1);
});
