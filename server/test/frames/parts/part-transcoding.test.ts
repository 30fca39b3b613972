import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PartTranscoding, type TranscodingOptions } from '../../../src/frames/parts/part-transcoding.ts';
import { Put } from '../../../src/frames/writing/put.ts';
import { openCaller } from '../../../src/model/caller.ts';
import type { PartRecord } from '../../../src/model/version.ts';
import type { Codec, TranscodeRequest } from '../../../src/ports/codec.ts';
import { arrowBytes } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore, unwatched } from '../open-core.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('part-transcoding');
const { table, large } = await arrowBytes({
  table: "pa.table({'n': pa.array([1, 2, 3])})",
  large: "pa.table({'n': pa.array(np.zeros(2_200_000))})",
});
const core = await openCore(folder);
const { catalog, store, codec, observations } = core;
after(async () => {
  await core.close();
  removeFolder(folder);
});

/** Transcoding in the background is done by `inBackground`. */
function transcodingWith(
  inBackground: (request: TranscodeRequest, signal: AbortSignal) => ReturnType<Codec['transcode']>,
  options?: TranscodingOptions,
) {
  const transcode: Codec['transcode'] = (request, signal) =>
    request.interactive === true ? codec.transcode(request, signal) : inBackground(request, signal);
  const slow = new Proxy<Codec>(codec, {
    get: (target, key) => {
      if (key === 'transcode') return transcode;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return new PartTranscoding({ ...core, codec: slow }, options);
}

async function putPart(name: string, stream: Uint8Array = table): Promise<PartRecord> {
  const target = { name, mode: 'create', format: 'arrow', originFormat: 'arrow' } as const;
  const put = await Put.begin(core, {
    caller: openCaller,
    name,
    target,
    signal: never,
    ...unwatched,
    openVersion: () => Promise.reject(new Error('nothing is appended')),
  });
  await put.write([stream]);
  await put.finish();
  const [part] = await catalog.parts('default', name, 1);
  assert.ok(part);
  return part;
}

const stopped = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason));
  });

test('somebody in a hurry overtakes what transcodes a small part in the background', async () => {
  const begun = Promise.withResolvers<void>();
  const transcoding = transcodingWith((_request, signal) => {
    begun.resolve();
    return stopped(signal);
  });
  const part = await putPart('overtaken');
  const background = transcoding.transcode(part, { interactive: false }, never);
  await begun.promise;
  assert.deepEqual(await transcoding.transcode(part, { interactive: true }, never), { kind: 'transcoded' });
  assert.deepEqual(await background, { kind: 'overtaken' });
  const forms = (await catalog.parts('default', 'overtaken', 1))[0]?.forms.map((form) => form.kind);
  assert.deepEqual(forms, ['arrow', 'parquet']);
});

test('a large part is waited for, unless the background compresses so hard that starting again is faster', async () => {
  for (const isBackgroundSlow of [false, true]) {
    const begun = Promise.withResolvers<void>();
    const transcoding = transcodingWith(
      async (request, signal) => {
        begun.resolve();
        return isBackgroundSlow ? await stopped(signal) : await codec.transcode(request, signal);
      },
      { isBackgroundSlow },
    );
    const part = await putPart(`large_${isBackgroundSlow}`, large);
    const background = transcoding.transcode(part, { interactive: false }, never);
    await begun.promise;
    const interactive = transcoding.transcode(part, { interactive: true }, never);
    assert.deepEqual(await interactive, { kind: 'transcoded' });
    assert.deepEqual(await background, { kind: isBackgroundSlow ? 'overtaken' : 'transcoded' });
  }
});

test('files that are written already are waited for, and the part is transcoded once', async () => {
  const part = await putPart('finishing');
  let interactive: Promise<unknown> | null = null;
  const publish = store.publish.bind(store);
  const transcoding = transcodingWith((request, signal) => codec.transcode(request, signal));
  // The store takes the files over before the catalog learns of the form.
  store.publish = (file, content) => {
    interactive ??= transcoding.transcode(part, { interactive: true }, never);
    return publish(file, content);
  };
  const before = observations.filter(({ event }) => event === 'settled').length;
  assert.deepEqual(await transcoding.transcode(part, { interactive: false }, never), { kind: 'transcoded' });
  assert.deepEqual(await interactive, { kind: 'transcoded' });
  store.publish = publish;
  assert.equal(observations.filter(({ event }) => event === 'settled').length, before + 1);
});

test('a damaged form is made again under other keys', async () => {
  const transcoding = transcodingWith((request, signal) => codec.transcode(request, signal));
  const part = await putPart('again');
  await transcoding.transcode(part, { interactive: true }, never);
  const objectsOf = async () =>
    (await catalog.parts('default', 'again', 1))[0]?.forms.flatMap((form) =>
      form.kind === 'parquet' && !form.damaged ? form.objects : [],
    ) ?? [];
  const [first] = await objectsOf();
  await catalog.markDamaged(first?.key ?? '', 'corrupt', Date.now());
  assert.deepEqual(await objectsOf(), []);
  assert.deepEqual(await transcoding.transcode(part, { interactive: true }, never), { kind: 'transcoded' });
  const [second] = await objectsOf();
  assert.ok(second !== undefined);
  assert.notEqual(second.key, first?.key);
  assert.ok(await store.open(second));
});
