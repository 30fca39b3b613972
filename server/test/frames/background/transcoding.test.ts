import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Transcoding } from '../../../src/frames/background/transcoding.ts';
import { PartTranscoding } from '../../../src/frames/parts/part-transcoding.ts';
import { Put } from '../../../src/frames/writing/put.ts';
import { openCaller } from '../../../src/model/caller.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { partWork } from '../../../src/ports/catalog/leases.ts';
import type { Codec } from '../../../src/ports/codec.ts';
import { dropOf } from '../../catalog/change-builder.ts';
import { faultyPort } from '../../support/faulty-port.ts';
import { arrowBytes } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore, unwatched } from '../open-core.ts';

test('a frame that is dropped and collected while another one transcodes is no fault', async () => {
  const folder = temporaryFolder('settling');
  const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
  const core = await openCore(folder);
  after(async () => {
    await core.close();
    removeFolder(folder);
  });
  const { catalog, codec, collection, observations } = core;
  const { signal } = new AbortController();
  for (const name of ['first', 'second', 'third']) {
    const target = { name, mode: 'create', format: 'arrow', originFormat: 'arrow' } as const;
    const put = await Put.begin(core, {
      caller: openCaller,
      name,
      target,
      signal,
      ...unwatched,
      openVersion: () => Promise.reject(new Error('nothing is appended')),
    });
    await put.write([table]);
    await put.finish();
  }

  const transcode: Codec['transcode'] = async (request, aborted) => {
    const dropped = await catalog
      .drop(dropOf('default', 'second', null, null, Date.now()))
      .catch(() => 'gone');
    if (dropped !== 'gone') await collection.collect(aborted);
    return await codec.transcode(request, aborted);
  };
  const slow = new Proxy<Codec>(codec, {
    get: (target, key) => (key === 'transcode' ? transcode : Reflect.get(target, key)),
  });
  const transcoding = new PartTranscoding({ ...core, codec: slow });
  await new Transcoding({ ...core, transcoding }).run(signal, async () => {});

  const events = observations.map(({ event }) => event);
  assert.equal(events.includes('settle-failed'), false, JSON.stringify(observations));
  assert.equal(events.filter((event) => event === 'settled').length, 2);
});

test('a part that ends the server each time is given up', async () => {
  const core = await openCore(temporaryFolder('transcoding-tries'));
  after(() => core.close());
  const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
  const target = { name: 'deadly', mode: 'create', format: 'arrow', originFormat: 'arrow' } as const;
  const { signal } = new AbortController();
  const session = await core.frames.beginPut(openCaller, target, signal);
  await session.write([table as Uint8Array]);
  await session.finish();
  const [part] = await core.catalog.parts('default', 'deadly', 1);
  assert.ok(part);
  // Leased by servers that were killed before they could say how it ended.
  for (let death = 1; death <= 3; death++) {
    assert.equal(await core.leases.begin(partWork.transcode(part.id)), death);
    await core.leases.endEarlier();
  }
  const transcoding = new PartTranscoding(core);
  await new Transcoding({ ...core, transcoding }).run(signal, async () => {});
  const [after3] = await core.catalog.parts('default', 'deadly', 1);
  assert.equal(after3?.transcodeRefusal, 'failed 3 times: the server ended each time');
});

test('a store that does not answer is no fault of the part: it is transcoded when the store is back', async () => {
  let isDown = true;
  const core = await openCore(temporaryFolder('transcoding-unavailable'), {
    wrapStore: (store) =>
      faultyPort(
        store,
        new Map([
          [
            'open',
            (work) => (isDown ? Promise.reject(new FrameholdError('unavailable', 'as tested')) : work()),
          ],
        ]),
      ),
  });
  after(() => core.close());
  const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
  const target = { name: 'later', mode: 'create', format: 'arrow', originFormat: 'arrow' } as const;
  const { signal } = new AbortController();
  const session = await core.frames.beginPut(openCaller, target, signal);
  await session.write([table as Uint8Array]);
  await session.finish();
  const transcoding = new Transcoding({ ...core, transcoding: new PartTranscoding(core) });
  for (let time = 1; time <= 5; time++) await transcoding.run(signal, async () => {});
  const failed = core.observations.filter(({ event }) => event === 'settle-failed');
  assert.equal(failed.length, 5, 'once in each run');
  isDown = false;
  await transcoding.run(signal, async () => {});
  const [part] = await core.catalog.parts('default', 'later', 1);
  assert.equal(part?.forms.length, 2);
});
