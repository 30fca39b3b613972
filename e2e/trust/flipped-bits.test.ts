import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask } from '../../server/test/support/catalog-file.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { putFrame, send } from '../../server/test/support/frame-client.ts';
import { Framehold, runFramehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { flipBit, objectPath, objectsOf } from '../../server/test/support/stored-objects.ts';

/** In the schema, in the middle of the values, near the end marker. */
const positions = [0.02, 0.5, 0.97];
const forms = ['json', 'csv', 'arrow', 'parquet'] as const;

let framehold: Framehold;
let bytes: Record<'plain' | 'union', Buffer<ArrayBuffer>>;
/** The answers to a sound frame, by format. */
const sound = new Map<string, string>();

before(async () => {
  bytes = await arrowBytes({
    plain: `pa.table({'i': pa.array(range(2000), pa.int64()), 's': [str(n) for n in range(2000)]})`,
    union: `pa.table({'u': pa.UnionArray.from_sparse(pa.array([0, 1] * 500, pa.int8()), [pa.array(range(1000)), pa.array(['x'] * 1000)])})`,
  });
  framehold = await Framehold.start();
});
after(async () => await framehold.remove());

async function read(
  handle: string,
  format: string,
): Promise<{ status: number; body: string; code: unknown }> {
  const answer = await fetch(`${framehold.url}/v1/frames/${handle}/rows?fmt=${format}&limit=2000`);
  const body = Buffer.from(await answer.arrayBuffer());
  const code = answer.ok ? null : (JSON.parse(body.toString()) as { code: unknown }).code;
  // JSON names the handle that was asked for.
  const text = body.toString('latin1').replace(`"handle:${handle}"`, '""');
  return { status: answer.status, body: createHash('sha256').update(text).digest('hex'), code };
}

async function transcoded(name: string, parquet: boolean): Promise<void> {
  await framehold.until(`${name} transcoded`, () =>
    objectsOf(framehold.dataDirectory, name).parquet.length > 0 === parquet ? true : null,
  );
}

/** Nothing reads it in the background any more. */
async function transcodingRefused(name: string): Promise<void> {
  const refused =
    'select p.refusal from parts p join names n on n.id = p.name_id where n.name = ? and p.refusal is not null';
  await framehold.until(`transcoding of ${name} refused`, () =>
    ask(framehold.dataDirectory, refused, name).length > 0 ? true : null,
  );
}

/** What the log says of the object; lines are written a moment after the answer. */
async function damagedLine(key: string): Promise<Record<string, unknown>> {
  return await framehold.until(`a line about ${key}`, () => {
    const line = framehold.lines.find((text) => text.includes('"object-damaged"') && text.includes(key));
    return line === undefined ? null : (JSON.parse(line) as Record<string, unknown>);
  });
}

/** Never another answer than the right one, and the right one if another form holds the rows. */
async function assertNeverWrong(name: string, expectServed: boolean): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (const format of forms) {
      const { status, body, code } = await read(name, format);
      if (!expectServed) assert.deepEqual([status, code], [500, 'frame_damaged'], `${name} ${format}`);
      else assert.deepEqual([status, body], [200, sound.get(format)], `${name} ${format}`);
    }
  }
}

describe('a flipped bit is found, never served, and named', () => {
  for (const [index, position] of positions.entries()) {
    test(`Arrow without Parquet, at ${position}`, async () => {
      const name = `alone${index}`;
      await putFrame(framehold.url, name, bytes.union);
      await transcodingRefused(name);
      const [key = ''] = objectsOf(framehold.dataDirectory, name).arrow;
      flipBit(objectPath(framehold.dataDirectory, key), position);
      await assertNeverWrong(name, false);
      const line = await damagedLine(key);
      assert.deepEqual([line.fault, line.recovered, line.frames], ['corrupt', false, [`default/${name}@1`]]);
      const flight = (await flightPython(framehold.grpcUrl, `result = fails(lambda: get('${name}'))`)) as {
        text: string;
      };
      assert.match(flight.text, new RegExp(`${name}@1.*not those that were put`));
    });

    test(`Arrow with exact Parquet, at ${position}: the rows come out of Parquet`, async () => {
      const name = `both${index}`;
      await putFrame(framehold.url, name, bytes.plain);
      await transcoded(name, true);
      if (sound.size === 0) await rememberSound();
      const [key = ''] = objectsOf(framehold.dataDirectory, name).arrow;
      flipBit(objectPath(framehold.dataDirectory, key), position);
      for (const format of ['json', 'csv', 'parquet'])
        assert.equal((await read(name, format)).body, sound.get(format), format);
      assert.equal((await damagedLine(key)).recovered, true);
      assert.deepEqual(objectsOf(framehold.dataDirectory, name).arrow, [key]);
      assert.ok(existsSync(objectPath(framehold.dataDirectory, key)), 'on one disk nothing is deleted');
    });
  }

  test('Parquet beside Arrow, at every position: made again', async () => {
    const spoiled: string[] = [];
    for (const [index, position] of positions.entries()) {
      await putFrame(framehold.url, `spare${index}`, bytes.plain);
      await transcoded(`spare${index}`, true);
      const [key = ''] = objectsOf(framehold.dataDirectory, `spare${index}`).parquet;
      flipBit(objectPath(framehold.dataDirectory, key), position);
      spoiled.push(key);
    }
    // Nobody reads it while the Arrow form is there: the verification of a stopped server finds it.
    await framehold.stop();
    const verified = await verify();
    assert.equal(verified.code, 1);
    for (const [index, key] of spoiled.entries())
      assert.match(
        verified.output,
        new RegExp(`corrupt: ${key}.*default/spare${index}@1; quarantined: another form is read`),
      );
    await framehold.start();
    for (const [index, key] of spoiled.entries()) {
      await framehold.until(`spare${index} transcoded again`, () =>
        objectsOf(framehold.dataDirectory, `spare${index}`).parquet.some((other) => other !== key)
          ? true
          : null,
      );
      await assertNeverWrong(`spare${index}`, true);
      assert.equal(objectsOf(framehold.dataDirectory, `spare${index}`).arrow.length, 1);
    }
    await framehold.stop();
    const { output } = await verify();
    // What became of them is reported again; they are no fault any more, and are still there.
    for (const key of spoiled) {
      assert.doesNotMatch(output, new RegExp(`^corrupt: ${key}`, 'm'));
      assert.match(output, new RegExp(`replaced: ${key}: corrupt: .*; was used by default/spare`));
      assert.ok(existsSync(objectPath(framehold.dataDirectory, key)));
    }
    await framehold.start();
  });

  test('what is too large to be checked before the first byte: found by the read that breaks', async () => {
    const rows = 6_000_000;
    const { large } = await arrowBytes({
      large: `pa.table({'n': pa.array(np.arange(${rows}), pa.int64())})`,
    });
    await restartWith(['--transcode-threads', '0']);
    for (const [name, format] of [
      ['large-arrow', 'arrow'],
      ['large-csv', 'csv'],
    ] as const) {
      await putFrame(framehold.url, name, large);
      const [key = ''] = objectsOf(framehold.dataDirectory, name).arrow;
      truncateSync(objectPath(framehold.dataDirectory, key), 30_000_000);
      const url = `${framehold.url}/v1/frames/${name}/rows?fmt=${format}`;
      const whole = await fetch(url).then(
        async (answer) =>
          answer.ok &&
          (await answer.arrayBuffer().then(
            () => true,
            () => false,
          )),
      );
      assert.equal(whole, false, 'a cut answer must not look complete');
      assert.equal((await damagedLine(key)).fault, 'wrong-size');
      assert.equal((await read(name, format)).code, 'frame_damaged');
    }
    await restartWith([]);
  });

  test('Parquet alone, after the Arrow form was evicted, at every position', async () => {
    for (const index of positions.keys()) await putFrame(framehold.url, `cold${index}`, bytes.plain);
    await restartWith(['--cache-size', '0']);
    for (const [index, position] of positions.entries()) {
      const name = `cold${index}`;
      await framehold.until(`${name} evicted`, () =>
        objectsOf(framehold.dataDirectory, name).arrow.length === 0 ? true : null,
      );
      const [key = ''] = objectsOf(framehold.dataDirectory, name).parquet;
      flipBit(objectPath(framehold.dataDirectory, key), position);
      await assertNeverWrong(name, false);
      assert.equal((await damagedLine(key)).recovered, false);
    }
    await restartWith([]);
    await assertNeverWrong('cold0', false);
  });

  test('a file that is missing or cut', async () => {
    for (const [name, spoil, fault] of [
      ['missing', (path: string) => rmSync(path), 'missing'],
      ['cut', (path: string) => truncateSync(path, 700), 'wrong-size'],
    ] as const) {
      await putFrame(framehold.url, name, bytes.union);
      const [key = ''] = objectsOf(framehold.dataDirectory, name).arrow;
      spoil(objectPath(framehold.dataDirectory, key));
      await assertNeverWrong(name, false);
      assert.equal((await damagedLine(key)).fault, fault);
    }
  });

  test('metrics count what was found, and a put replaces what was lost', async () => {
    const metrics = await (await fetch(`${framehold.url}/metrics`)).text();
    assert.match(metrics, /framehold_objects_damaged_total\{fault="missing",recovered="false"\} \d/);
    await send(framehold.url, '/v1/frames/missing', bytes.union, { status: 200 });
    assert.equal((await read('missing', 'json')).status, 200);
    assert.equal((await read('missing@1', 'json')).code, 'frame_damaged');
  });
});

test('the server finds it by itself: the scrub', async () => {
  await putFrame(framehold.url, 'scrubbed', bytes.union);
  assert.equal((await read('scrubbed', 'json')).status, 200);
  const [key = ''] = objectsOf(framehold.dataDirectory, 'scrubbed').arrow;
  // After it was read: this process takes it for sound.
  flipBit(objectPath(framehold.dataDirectory, key), 0.6);
  await restartWith(['--scrub-interval-hours', '0.0003']);
  await damagedLine(key);
  assert.equal((await read('scrubbed', 'json')).code, 'frame_damaged');
  flipBit(objectPath(framehold.dataDirectory, key), 0.6);
  await framehold.until('a line about its healing', () =>
    framehold.lines.some((line) => line.includes('"object-sound-again"') && line.includes(key)) ? true : null,
  );
  assert.equal((await read('scrubbed', 'json')).status, 200);
  await framehold.until('its end', () =>
    framehold.lines.some((line) => line.includes('"scrubbed"')) ? true : null,
  );
});

test('verify names everything while a server runs and records nothing, and records it once the server has stopped', async () => {
  await restartWith([]);
  await putFrame(framehold.url, 'unseen', bytes.union);
  await transcodingRefused('unseen');
  const [unseen = ''] = objectsOf(framehold.dataDirectory, 'unseen').arrow;
  flipBit(objectPath(framehold.dataDirectory, unseen), 0.6);
  for (let times = 0; times < 2; times++) {
    const beside = await verify();
    assert.equal(beside.code, 1);
    assert.match(beside.output, /default\/alone0@1/);
    assert.match(beside.output, new RegExp(`corrupt: ${unseen}: .*default/unseen@1; not quarantined yet`));
    assert.match(beside.output, /Nothing is recorded while a server runs/);
  }
  await framehold.stop();
  const found = await verify(['--json']);
  assert.equal(found.code, 1);
  const report = JSON.parse(found.lines.find((line) => line.startsWith('{')) ?? '') as {
    faults: { kind: string; frames: string[]; recovered: boolean }[];
    catalog: string[];
  };
  const frames = report.faults.flatMap((fault) => fault.frames);
  for (const name of ['alone0', 'alone1', 'alone2', 'cold0', 'cold1', 'cold2', 'cut', 'missing'])
    assert.ok(frames.includes(`default/${name}@1`), `${name} in ${frames.join(' ')}`);
  assert.deepEqual(report.catalog, []);
  assert.ok(report.faults.filter(({ recovered }) => !recovered).length >= 8);
  assert.equal(report.faults.filter(({ recovered }) => recovered).length, 3);
  const { output } = await verify();
  for (const line of output.split('\n').filter((each) => /; used by /.test(each)))
    assert.match(line, /; used by \S.*; quarantined since 20/);
  // The catalog itself: the first byte of its second page says what kind of page it is.
  flipBit(join(framehold.dataDirectory, 'catalog.sqlite'), { byte: 4096 });
  const broken = await verify();
  assert.equal(broken.code, 1, broken.output);
  assert.match(broken.output, /catalog: /);
});

test('verify of something that is no data directory', async () => {
  const answer = await runFramehold(['verify', '--data-dir', join(framehold.home, 'nothing')]);
  assert.equal(answer.code, 2);
  assert.match(answer.output, /is not a data directory/);
  const flags = ['--data-dir', framehold.dataDirectory, '--parquet-path', join(framehold.home, 'nothing')];
  const other = await runFramehold(['verify', ...flags]);
  assert.equal(other.code, 2);
  assert.match(other.output, /is not its Parquet directory/);
});

async function verify(flags: readonly string[] = []) {
  return await runFramehold(['verify', '--data-dir', framehold.dataDirectory, ...flags]);
}

async function rememberSound(): Promise<void> {
  await putFrame(framehold.url, 'sound', bytes.plain);
  // A Parquet file written for one answer has other bytes than the stored one.
  await transcoded('sound', true);
  for (const format of forms) sound.set(format, (await read('sound', format)).body);
}

async function restartWith(flags: readonly string[]): Promise<void> {
  await framehold.stop();
  framehold = await Framehold.start({ home: framehold.home, flags });
}
