import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Followed } from '../../src/auth/followed.ts';
import { eventually } from '../support/patience.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

/** A source on another machine, which answers when the test lets it. */
class Source {
  mark = 1;
  asked = 0;
  isDown = false;
  /** null: it answers at once. */
  held: PromiseWithResolvers<void> | null = null;

  async since(mark: number | null): Promise<{ mark: number; content: number } | null> {
    this.asked += 1;
    // What a database has read when it was asked, however late its answer comes.
    const seen = this.mark;
    await this.held?.promise;
    if (this.isDown) throw new Error('away');
    return mark === seen ? null : { mark: seen, content: seen };
  }
}

/** Looks by itself only once an hour, so that the test says when. */
function follow(source: Source, { freshMs = 60_000, endsMs = 60_000, everyMs = 3_600_000 } = {}) {
  const seen: number[] = [];
  const followed = new Followed<number>(
    (mark) => source.since(mark),
    (content) => void seen.push(content),
    { everyMs, distant: { freshMs, endsMs } },
  );
  return { followed, seen, [Symbol.dispose]: () => followed.close() };
}

test('a source elsewhere is looked at by itself, and no longer after it was closed', async (context) => {
  const clock = stoppedClock(context);
  const source = new Source();
  const { followed, seen } = follow(source, { everyMs: 20 });
  clock.pass(20);
  await eventually('it has looked', () => seen.length === 1);
  source.mark = 2;
  clock.pass(20);
  await eventually('it has seen the change', () => seen.at(-1) === 2);
  followed.close();
  const { asked } = source;
  clock.pass(100);
  assert.equal(source.asked, asked);
});

test('what is fresh is not waited for; what is older is, and its failure is that of who waits', async (context) => {
  const clock = stoppedClock(context);
  const source = new Source();
  using at = follow(source, { freshMs: 500 });
  await at.followed.fresh();
  assert.equal(at.followed.fresh(), undefined);
  clock.pass(500);
  source.mark = 2;
  await at.followed.fresh();
  assert.deepEqual(at.seen, [1, 2]);
  clock.pass(500);
  source.isDown = true;
  await assert.rejects(async () => at.followed.fresh(), /away/);
});

test('an answer that was long on its way is not fresh: another look follows it', async (context) => {
  const clock = stoppedClock(context);
  const source = new Source();
  using at = follow(source, { freshMs: 300 });
  source.held = Promise.withResolvers();
  const fresh = at.followed.fresh();
  clock.pass(300);
  source.mark = 2;
  source.held.resolve();
  source.held = null;
  await fresh;
  assert.deepEqual([at.seen, source.asked], [[1, 2], 2]);
});

test('a look that began before something was made is followed by one that sees it', async (context) => {
  const clock = stoppedClock(context);
  const source = new Source();
  using at = follow(source);
  source.held = Promise.withResolvers();
  const early = at.followed.lookNow();
  clock.pass(5);
  source.mark = 2;
  const anew = [at.followed.lookAnew(), at.followed.lookAnew()];
  source.held.resolve();
  source.held = null;
  await Promise.all([early, ...anew]);
  assert.equal(at.seen.at(-1), 2);
  assert.ok(source.asked <= 3);
});

test('without an answer for too long nothing that was seen counts any more, until the next answer', async (context) => {
  const clock = stoppedClock(context);
  const source = new Source();
  using at = follow(source, { endsMs: 500 });
  assert.equal(at.followed.isTooOld, true);
  await at.followed.lookNow();
  assert.equal(at.followed.isTooOld, false);
  source.isDown = true;
  clock.pass(501);
  await assert.rejects(async () => at.followed.lookNow());
  assert.equal(at.followed.isTooOld, true);
  source.isDown = false;
  await at.followed.lookNow();
  assert.equal(at.followed.isTooOld, false);
});
