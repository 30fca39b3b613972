/** Programs that follow a frame have every row once, whatever happens to the frame and to the server. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { Framehold as Client, type FollowOptions, FrameholdError } from '../../client/src/index.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';

let framehold: Framehold;
let client: Client;

before(async () => {
  framehold = await Framehold.start();
  client = new Client({ url: framehold.url });
});
after(() => framehold.remove());

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const csv = (numbers: readonly number[]) => `n\n${numbers.map((n) => `${n}\n`).join('')}`;
const put = (name: string, numbers: readonly number[]) =>
  client.frames.put(name, csv(numbers), { format: 'csv' });
const append = (name: string, numbers: readonly number[]) =>
  client.frames.append(name, csv(numbers), { format: 'csv' });

interface Followed {
  readonly numbers: number[];
  position: string | undefined;
  readonly ended: Promise<string>;
}

/** Follows until an error ends it; `count` numbers end it, too. */
function follow(name: string, options: FollowOptions = {}, count = Number.POSITIVE_INFINITY): Followed {
  const run = async (): Promise<string> => {
    try {
      for await (const batch of client.frames.follow(name, options)) {
        for (let row = 0; row < batch.rowCount; row++) followed.numbers.push(Number(batch.text(row, 0)));
        followed.position = batch.position;
        if (followed.numbers.length >= count) return 'enough';
      }
      return 'end';
    } catch (thrown) {
      return thrown instanceof FrameholdError ? thrown.code : String(thrown);
    }
  };
  const followed: Followed = {
    numbers: [],
    position: undefined,
    ended: new Promise((resolve) => setImmediate(() => void run().then(resolve))),
  };
  return followed;
}

async function until(followed: Followed, count: number): Promise<void> {
  await framehold.until(`${count} rows`, () => (followed.numbers.length >= count ? true : null));
}

test('rows that are appended while others are read come once and in order', async () => {
  await put('busy', range(0, 10));
  const early = follow('busy', { since: 0 }, 2_000);
  const late = follow('busy', { since: 1 }, 1_990);
  for (let from = 10; from < 1_000; from += 10) await append('busy', range(from, from + 10));
  await append('busy', []);
  await Promise.all(
    range(0, 100).map(async (index) => {
      const from = 1_000 + 10 * index;
      await append('busy', range(from, from + 10));
    }),
  );
  assert.deepEqual([await early.ended, await late.ended], ['enough', 'enough']);
  assert.deepEqual(early.numbers.slice(0, 1_000), range(0, 1_000));
  const sorted = early.numbers.toSorted((a, b) => a - b);
  assert.deepEqual(sorted, range(0, 2_000));
  assert.deepEqual(late.numbers, early.numbers.slice(10));
  assert.equal((await client.frames.get('busy')).version, Number(early.position));
});

test('a position is good for another program, in the middle of a version too', async () => {
  await put('resumed', range(0, 200_000));
  await append('resumed', range(200_000, 200_100));
  const numbers: number[] = [];
  let since: string | number = 0;
  for (let programs = 0; programs < 100; programs++) {
    const part = follow('resumed', { since, timeoutMs: 0, limit: 30_001 });
    assert.equal(await part.ended, 'end');
    if (part.position === undefined) break;
    for (const each of part.numbers) numbers.push(each);
    since = part.position;
  }
  assert.deepEqual(numbers, range(0, 200_100));
  assert.equal(since, '2');
});

test('a program that follows goes on while the server is killed and started again', async () => {
  const address = new URL(framehold.url);
  await put('restarted', [0]);
  let lost = 0;
  const followed = follow('restarted', { since: 0, onDisconnected: () => lost++ }, 5);
  await until(followed, 1);
  await append('restarted', [1]);
  await framehold.kill();
  // The same address, which the client knows.
  await framehold.start({ SERVICE_HTTP_BIND_ADDRESS: address.host });
  await append('restarted', [2]);
  await append('restarted', [3]);
  await append('restarted', [4]);
  assert.equal(await followed.ended, 'enough');
  assert.deepEqual(followed.numbers, range(0, 5));
  assert.ok(lost > 0);
});

test('a frame that does not exist yet is awaited', async () => {
  const [all, fresh] = [follow('awaited', { since: 0 }, 3), follow('awaited', {}, 3)];
  await timePasses(300, 'both look for the frame');
  await put('awaited', [0, 1]);
  await append('awaited', [2]);
  assert.deepEqual([await all.ended, await fresh.ended], ['enough', 'enough']);
  assert.deepEqual([all.numbers, fresh.numbers], [range(0, 3), range(0, 3)]);
  assert.equal(await follow('awaited', { since: 9 }).ended, 'frame_not_found');
  assert.equal(await follow('never', { timeoutMs: 200 }).ended, 'frame_not_found');
});

describe('a frame that is followed', () => {
  test('and replaced ends with not_append_only', async () => {
    await put('replaced', [0, 1]);
    const followed = follow('replaced', { since: 0 });
    await until(followed, 2);
    await put('replaced', [7]);
    assert.equal(await followed.ended, 'not_append_only');
    assert.deepEqual([followed.numbers, followed.position], [[0, 1], '1']);
    const anew = follow('replaced', { since: 0 }, 1);
    assert.equal(await anew.ended, 'enough');
    assert.deepEqual(anew.numbers, [7]);
  });

  test('and restored at exactly its version goes on, otherwise ends', async () => {
    await put('restored', [0]);
    await append('restored', [1]);
    const behind = follow('restored', { since: 1, limit: 1 });
    assert.equal(await behind.ended, 'end');
    const followed = follow('restored', { since: 0 });
    await until(followed, 2);
    await client.frames.restore('restored', 1);
    assert.equal(await followed.ended, 'not_append_only');
    const after = follow('restored', { since: 1 }, 1);
    await append('restored', [5]);
    assert.equal(await after.ended, 'enough');
    assert.deepEqual(after.numbers, [5]);
  });

  test('and dropped ends, and goes on when the drop is undone', async () => {
    await put('dropped', [0]);
    const followed = follow('dropped', { since: 0 });
    await until(followed, 1);
    await client.frames.drop('dropped');
    assert.equal(await followed.ended, 'frame_gone');
    await client.frames.undrop('dropped');
    await append('dropped', [1]);
    const again = follow('dropped', { since: followed.position ?? '' }, 1);
    assert.equal(await again.ended, 'enough');
    assert.deepEqual(again.numbers, [1]);
  });

  test('from a version whose end is not known says so', async () => {
    await put('short', [0]);
    await append('short', [1]);
    const catalog = new DatabaseSync(join(framehold.dataDirectory, 'catalog.sqlite'), { timeout: 60_000 });
    catalog.exec(
      "delete from positions where version = 1 and name_id = (select id from names where name = 'short')",
    );
    catalog.close();
    assert.equal(await follow('short', { since: 1 }).ended, 'position_unknown');
  });
});

test('rows since a version are read as rows of a version are', async () => {
  await put('handles', range(0, 10));
  await append('handles', range(10, 15));
  const rows = await client.rows('handles@1..');
  assert.deepEqual([rows.handle, rows.rowsTotal], ['handles@1..2', 5]);
  assert.deepEqual([...(await rows.table()).getChild('n')], range(10, 15).map(BigInt));
  assert.equal(
    await (await client.export('handles@1..2', { format: 'csv', limit: 1 })).text(),
    'n\r\n10\r\n',
  );
});

test('rows as text have every row once, too', async () => {
  await put('texts', range(0, 25_000));
  let text = '';
  const pages = client.frames.followText('texts', { since: 0, format: 'ndjson', limit: 25_001 });
  for await (const page of pages) {
    text += page.text;
    if (page.position === '1') await append('texts', [25_000]);
  }
  assert.equal(
    text,
    range(0, 25_001)
      .map((n) => `{"n":${n}}\n`)
      .join(''),
  );
});

test('a frame that another tenant shares is followed without its events', async () => {
  const owner = new Client({
    url: framehold.url,
    token: newToken(framehold.dataDirectory, 'acme', 'write'),
  });
  const reader = new Client({
    url: framehold.url,
    token: newToken(framehold.dataDirectory, 'beta', 'read'),
  });
  await owner.frames.put('shared', csv([0, 1]), { format: 'csv' });
  await owner.frames.share('shared', 'beta');
  const found: string[] = [];
  for await (const batch of reader.frames.follow('acme:shared', { since: 0 })) {
    for (let row = 0; row < batch.rowCount; row++) found.push(`${batch.text(row, 0)}`);
    if (batch.position === '1') await owner.frames.append('shared', csv([2]), { format: 'csv' });
    if (found.length >= 3) break;
  }
  assert.deepEqual(found, ['0', '1', '2']);
  const pages = reader.frames.followText('acme:shared', { since: 1, format: 'csv', timeoutMs: 0 });
  const { value: page } = await pages.next();
  assert.deepEqual([page?.handle, page?.text], ['acme:shared@1..2', 'n\r\n2\r\n']);
});
