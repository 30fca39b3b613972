import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PartSettling } from '../../../src/frames/parts/part-settling.ts';
import { Put } from '../../../src/frames/putting/put.ts';
import { openCaller } from '../../../src/model/caller.ts';
import type { PartRecord } from '../../../src/model/version.ts';
import type { Codec, SettleRequest } from '../../../src/ports/codec.ts';
import { arrowBytes } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore, unwatched } from '../open-core.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('part-settling');
const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
const core = await openCore(folder);
const { catalog, store, codec, observations } = core;
after(async () => {
  await core.close();
  removeFolder(folder);
});

/** Settling in the background is done by `inBackground`. */
function settlingWith(
  inBackground: (request: SettleRequest, signal: AbortSignal) => ReturnType<Codec['settle']>,
) {
  const settle: Codec['settle'] = (request, signal) =>
    request.urgent === true ? codec.settle(request, signal) : inBackground(request, signal);
  const slow = new Proxy<Codec>(codec, {
    get: (target, key) => {
      if (key === 'settle') return settle;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return new PartSettling({ ...core, codec: slow });
}

async function putPart(name: string): Promise<PartRecord> {
  const target = { name, mode: 'create', format: 'arrow', originFormat: 'arrow' } as const;
  const put = await Put.begin(core, {
    caller: openCaller,
    name,
    target,
    signal: never,
    ...unwatched,
    openVersion: () => Promise.reject(new Error('nothing is appended')),
  });
  await put.write([table]);
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

test('somebody in a hurry overtakes what settles a small part in the background', async () => {
  const begun = Promise.withResolvers<void>();
  const settling = settlingWith((_request, signal) => {
    begun.resolve();
    return stopped(signal);
  });
  const part = await putPart('overtaken');
  const background = settling.settle(part, { urgent: false }, never);
  await begun.promise;
  assert.deepEqual(await settling.settle(part, { urgent: true }, never), { kind: 'settled' });
  assert.deepEqual(await background, { kind: 'overtaken' });
  const forms = (await catalog.parts('default', 'overtaken', 1))[0]?.forms.map((form) => form.kind);
  assert.deepEqual(forms, ['arrow', 'parquet']);
});

test('files that are written already are waited for, and the part is settled once', async () => {
  const part = await putPart('finishing');
  let urgent: Promise<unknown> | null = null;
  const publish = store.publish.bind(store);
  const settling = settlingWith((request, signal) => codec.settle(request, signal));
  // The store takes the files over before the catalog learns of the form.
  store.publish = (file, content) => {
    urgent ??= settling.settle(part, { urgent: true }, never);
    return publish(file, content);
  };
  const before = observations.filter(({ event }) => event === 'settled').length;
  assert.deepEqual(await settling.settle(part, { urgent: false }, never), { kind: 'settled' });
  assert.deepEqual(await urgent, { kind: 'settled' });
  store.publish = publish;
  assert.equal(observations.filter(({ event }) => event === 'settled').length, before + 1);
});

test('a damaged form is made again under other keys', async () => {
  const settling = settlingWith((request, signal) => codec.settle(request, signal));
  const part = await putPart('again');
  await settling.settle(part, { urgent: true }, never);
  const objectsOf = async () =>
    (await catalog.parts('default', 'again', 1))[0]?.forms.flatMap((form) =>
      form.kind === 'parquet' && !form.damaged ? form.objects : [],
    ) ?? [];
  const [first] = await objectsOf();
  await catalog.markDamaged(first?.key ?? '', 'corrupt', Date.now());
  assert.deepEqual(await objectsOf(), []);
  assert.deepEqual(await settling.settle(part, { urgent: true }, never), { kind: 'settled' });
  const [second] = await objectsOf();
  assert.ok(second !== undefined);
  assert.notEqual(second.key, first?.key);
  assert.ok(await store.open(second));
});
