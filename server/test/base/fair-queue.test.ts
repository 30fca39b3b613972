import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FairQueue } from '../../src/base/fair-queue.ts';

function filled(text: string): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of text.split(' ').filter(Boolean)) queue.add(item[0] as string, item);
  return queue;
}

function drained(queue: FairQueue<string>): string {
  const items: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item);
  return items.join(' ');
}

describe('a queue that is fair to tenants', () => {
  test('serves one tenant in the order of arrival, and several in turn', () => {
    assert.equal(drained(filled('a1 a2 a3')), 'a1 a2 a3');
    assert.equal(drained(filled('a1 a2 a3 b1 c1 c2')), 'a1 b1 c1 a2 c2 a3');
    assert.equal(drained(filled('')), '');
  });

  test('serves next whoever comes while one tenant floods it', () => {
    const queue = filled(Array.from({ length: 500 }, (_, index) => `a${index}`).join(' '));
    for (let round = 0; round < 3; round++) {
      assert.equal(queue.take(), `a${round}`);
      queue.add('b', `b${round}`);
      assert.equal(queue.peek(), `b${round}`);
      assert.equal(queue.take(), `b${round}`);
    }
    assert.equal(queue.take(), 'a3');
    assert.equal(queue.size, 496);
  });

  test('peek gives what take gives, and changes nothing', () => {
    const queue = filled('a1 a2 b1 c1 b2');
    const order: string[] = [];
    while (queue.size > 0) {
      const next = queue.peek();
      assert.equal(queue.peek(), next);
      assert.equal(queue.take(), next);
      order.push(String(next));
    }
    assert.equal(order.join(' '), 'a1 b1 c1 a2 b2');
    assert.equal(queue.peek(), undefined);
  });

  test('forgets what leaves, and nothing else', () => {
    const queue = filled('a1 a2 b1');
    queue.delete('a', 'a1');
    queue.delete('a', 'a1');
    queue.delete('b', 'a2');
    queue.delete('nobody', 'x');
    assert.equal(queue.size, 2);
    queue.delete('b', 'b1');
    assert.equal(drained(queue), 'a2');
  });

  test('if it is full, the last of the tenant that has most makes way, unless it is for that tenant', () => {
    const queue = filled('a1 a2 a3 b1 b2');
    assert.equal(queue.displace('a'), undefined);
    assert.equal(queue.displace('b'), undefined, 'b would have as many as a');
    assert.equal(queue.displace('c'), 'a3');
    assert.equal(queue.displace('c'), 'a2');
    assert.equal(drained(queue), 'a1 b1 b2');
    assert.equal(queue.displace('c'), undefined);
  });

  test('takes the same time however many wait', () => {
    const queue = new FairQueue<number>();
    const tenants = 1_000;
    for (let index = 0; index < 100 * tenants; index++) queue.add(`t${index % tenants}`, index);
    for (let index = 0; index < 100 * tenants; index++) assert.equal(queue.take(), index);
    assert.equal(queue.size, 0);
  });

  test('no tenant waits for two turns of another, whatever comes and goes', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const queue = new FairQueue<string>();
    const waiting = new Map<string, string[]>();
    /** For each tenant that waits, how often each other was served since. */
    const since = new Map<string, Map<string, number>>();
    for (let step = 0; step < 20_000; step++) {
      const tenant = `t${random(5)}`;
      const items = waiting.get(tenant) ?? [];
      waiting.set(tenant, items);
      const choice = random(3);
      if (choice === 0) {
        const item = `${tenant} ${step}`;
        queue.add(tenant, item);
        if (items.push(item) === 1) since.set(tenant, new Map());
      } else if (choice === 1 && random(4) === 0) {
        const gone = items.pop();
        if (gone !== undefined) queue.delete(tenant, gone);
        if (items.length === 0) since.delete(tenant);
      } else {
        const item = queue.take();
        if (item === undefined) continue;
        const served = item.split(' ', 1)[0] as string;
        assert.equal(waiting.get(served)?.shift(), item, 'in the order of arrival');
        since.delete(served);
        if ((waiting.get(served)?.length ?? 0) > 0) since.set(served, new Map());
        for (const [other, counts] of since) {
          if (other === served) continue;
          const times = (counts.get(served) ?? 0) + 1;
          counts.set(served, times);
          assert.ok(times <= 1, `${other} waited for ${times} turns of ${served}`);
        }
      }
    }
  });
});
