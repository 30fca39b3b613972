/** A consumer of `name@12..` beside writers and killed nodes: every row once, in the order of the frame. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import { getText, send, type TextAnswer } from '../../server/test/support/frame-client.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { eventually } from '../../server/test/support/patience.ts';

const writers = 4;
const appends = inLongRun(10_000, 400);
const kills = inLongRun(10, 3);

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start({
    settings: {
      // Versions go and parts are compacted all the time, also those at which the consumer is.
      'frames-versions-keep': '10',
      'frames-undrop-hours': '0',
      'jobs-sweep-interval-ms': '500',
      'jobs-garbage-delay-ms': '2000',
    },
  });
});
after(() => cluster?.remove());

test('a follower reads every row of four writers exactly once, while nodes are killed', async (t) => {
  await send(cluster.url, '/v1/frames/followed', 'n\n-1\n', { type: 'text/csv', status: 201 });
  const written: number[] = [];
  let isWriting = true;
  const write = async (writer: number) => {
    for (let turn = 0; turn < appends / writers; turn++) {
      // Sometimes several rows, sometimes none: a version without new rows is a step like any other.
      const rows = Array.from({ length: turn % 5 }, (_, row) => (writer * appends + turn) * 5 + row);
      await append(`${writer}-${turn}`, rows);
      written.push(...rows);
    }
  };
  let killed = 0;
  const kill = async () => {
    while (killed < kills && isWriting) {
      const done = written.length;
      await eventually('more rows', () => !isWriting || written.length >= done + (2 * appends) / (kills + 1));
      const node = cluster.node(killed % cluster.nodes.length);
      await node.kill();
      killed += 1;
      await timePasses(500, 'two nodes do all');
      await node.start();
    }
  };
  const followed: number[] = [];
  let reads = 0;
  let since = 0;
  const follow = async () => {
    for (let isLast = false; !isLast; ) {
      isLast = !isWriting;
      const answer = await asked('the rows since', () =>
        getText(`${cluster.url}/v1/frames/followed@${since}../rows?fmt=csv`),
      );
      const range = /^followed@(\d+)\.\.(\d+)$/.exec(answer.headers.get('framehold-handle') ?? '');
      assert.equal(Number(range?.[1]), since, answer.text);
      since = Number(range?.[2]);
      followed.push(...numbersOf(answer));
      reads += 1;
    }
  };
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).finally(() => {
    isWriting = false;
  });
  await Promise.all([writing, kill(), follow()]);
  const all = numbersOf(
    await asked('all rows', () => getText(`${cluster.url}/v1/frames/followed/rows?fmt=csv`)),
  );
  t.diagnostic(`${appends} appends, ${killed} kills, ${followed.length} rows in ${reads} reads`);
  assert.deepEqual(followed, all);
  assert.deepEqual(
    all.toSorted((a, b) => a - b),
    [-1, ...written].toSorted((a, b) => a - b),
  );
  assert.equal(since, appends + 1);
  assert.equal(killed, kills);
});

/** The key makes it one append, however often a node dies before it has answered. */
async function append(key: string, rows: readonly number[]): Promise<void> {
  await asked('an append', () =>
    getText(`${cluster.url}/v1/frames/followed/rows`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv', 'idempotency-key': key },
      body: `n\n${rows.map((n) => `${n}\n`).join('')}`,
    }),
  );
}

/** An answer that came whole; again where a node died. */
async function asked(what: string, ask: () => Promise<TextAnswer>): Promise<TextAnswer> {
  let answer: TextAnswer | undefined;
  await eventually(what, async () => {
    answer = await ask().catch(() => undefined);
    if (answer === undefined || answer.status >= 500) return false;
    assert.ok(answer.status < 300, answer.text);
    return true;
  });
  return answer as TextAnswer;
}

function numbersOf({ text }: TextAnswer): readonly number[] {
  return text.trim().split(/\s+/).slice(1).map(Number);
}
