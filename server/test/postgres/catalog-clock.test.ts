import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { FrameholdError } from '../../src/model/errors.ts';
import { idTime, orderedId, useIdClock } from '../../src/model/handle.ts';
import { CatalogClock } from '../../src/postgres/catalog-clock.ts';
import { timePasses } from '../support/passing-time.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { connectTo } from './open-database.ts';

let postgres: PostgresServer;
before(async () => {
  postgres = await PostgresServer.start();
});
after(() => postgres.stop());

const minutes = 60_000;

async function databaseTime(): Promise<number> {
  const [row] = await postgres.query('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at');
  return Number(row?.at);
}

test('a node five minutes ahead goes by the clock of the database, and is not ready', async () => {
  const real = Date.now;
  const database = connectTo(postgres.url);
  const clock = await CatalogClock.open(database);
  try {
    clock.check();
    assert.ok(Math.abs(clock.offsetMs) < 100, `${clock.offsetMs}`);
    mock.method(Date, 'now', () => real() + 5 * minutes);
    const from = await databaseTime();
    const now = clock.now();
    const to = await databaseTime();
    assert.ok(now >= from - 50 && now <= to + 50, `${from} <= ${now} <= ${to}`);
    assert.ok(Math.abs(clock.offsetMs - 5 * minutes) < 100);
    assert.throws(
      () => clock.check(),
      (error) =>
        error instanceof FrameholdError &&
        error.kind === 'unavailable' &&
        /300\.0 s ahead/.test(error.message),
    );
    useIdClock(clock.now);
    assert.ok(Math.abs((idTime(orderedId()) ?? 0) - real()) < 1_000, 'ids have the time of the catalog');
  } finally {
    mock.restoreAll();
    useIdClock(() => Date.now());
    await clock.close();
    await database.close();
  }
});

test('the clock goes on while the database does not answer, and never goes back', async () => {
  const database = connectTo(postgres.url, 500);
  const clock = await CatalogClock.open(database);
  try {
    let last = clock.now();
    const began = last;
    postgres.pause();
    for (let round = 0; round < 60; round++) {
      await timePasses(50, 'a clock is asked for the time');
      const now = clock.now();
      assert.ok(now >= last);
      last = now;
      if (round === 45) postgres.resume();
    }
    assert.ok(last - began >= 2_900 && Math.abs(clock.offsetMs) < 100, `${last - began}`);
  } finally {
    postgres.resume();
    await clock.close();
    await database.close();
  }
});
