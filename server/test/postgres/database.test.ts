import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FrameholdError } from '../../src/model/errors.ts';
import { Database, type DatabaseOptions, type Transaction } from '../../src/postgres/database.ts';
import { knownMigrations, migrate, newestOf } from '../../src/postgres/migrations.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { type Passage, Toxiproxy } from '../support/toxiproxy-process.ts';

let postgres: PostgresServer;
let toxiproxy: Toxiproxy;
before(async () => {
  postgres = await PostgresServer.start();
  toxiproxy = await Toxiproxy.start();
});
after(async () => {
  await toxiproxy.stop();
  await postgres.stop();
});

function optionsFor(url: string): DatabaseOptions {
  return { url, connectionsMax: 4, timeoutMs: 2_000 };
}

async function opened(): Promise<{
  database: Database;
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const url = await postgres.newDatabase();
  const database = new Database(optionsFor(url));
  await database.change((sql) => sql.run('CREATE TABLE numbers (n bigint PRIMARY KEY)'));
  return { database, url, [Symbol.asyncDispose]: () => database.close() };
}

function isKind(kind: string) {
  return (error: unknown) => error instanceof FrameholdError && error.kind === kind;
}

test('what is sent without waiting is committed with the rest', async () => {
  await using at = await opened();
  await at.database.change(async (sql) => {
    sql.send('INSERT INTO numbers VALUES ($1)', [1]);
    sql.send('INSERT INTO numbers VALUES ($1)', [2]);
  });
  const rows = await at.database.read((sql) => sql.rows<{ n: number }>('SELECT n FROM numbers ORDER BY n'));
  assert.deepEqual(rows, [{ n: 1 }, { n: 2 }]);
});

test('a statement that fails after it was sent rolls back the transaction, and its error is the one that is thrown', async () => {
  await using at = await opened();
  await at.database.change((sql) => sql.run('INSERT INTO numbers VALUES (7)'));
  await assert.rejects(
    at.database.change(async (sql) => {
      sql.send('INSERT INTO numbers VALUES ($1)', [8]);
      sql.send('INSERT INTO numbers VALUES ($1)', [7]);
    }),
    (error: { code?: string }) => error.code === '23505',
  );
  await assert.rejects(
    at.database.change(async (sql) => {
      sql.send('INSERT INTO numbers VALUES ($1)', [7]);
      await sql.rows('SELECT n FROM numbers');
    }),
    (error: { code?: string }) => error.code === '23505',
  );
  const rows = await at.database.read((sql) => sql.rows('SELECT n FROM numbers'));
  assert.deepEqual(rows, [{ n: 7 }]);
});

test('an error of the work rolls back, and the connection is used again', async () => {
  await using at = await opened();
  for (let round = 0; round < 10; round++) {
    await assert.rejects(
      at.database.change(async (sql) => {
        await sql.run('INSERT INTO numbers VALUES (1)');
        throw new FrameholdError('frame_exists', 'as tested');
      }),
      isKind('frame_exists'),
    );
  }
  assert.deepEqual(await at.database.read((sql) => sql.rows('SELECT n FROM numbers')), []);
});

test('of two transactions that wait for each other one is made again, and both are made', async () => {
  await using at = await opened();
  await at.database.change((sql) => sql.run('INSERT INTO numbers VALUES (1), (2)'));
  await at.database.change((sql) => sql.run('ALTER TABLE numbers ADD COLUMN hits bigint NOT NULL DEFAULT 0'));
  let begun = 0;
  const both = Promise.withResolvers<void>();
  // PostgreSQL looks for them after a second of its own, which a busy machine stretches.
  const patient = new Database({ ...optionsFor(at.url), timeoutMs: 60_000 });
  const hit = (first: number, second: number) =>
    patient.change(async (sql) => {
      await sql.run('UPDATE numbers SET hits = hits + 1 WHERE n = $1', [first]);
      begun += 1;
      if (begun === 2) both.resolve();
      await both.promise;
      await sql.run('UPDATE numbers SET hits = hits + 1 WHERE n = $1', [second]);
    });
  await Promise.all([hit(1, 2), hit(2, 1)]);
  const rows = await at.database.read((sql) => sql.rows('SELECT n, hits FROM numbers ORDER BY n'));
  assert.deepEqual(rows, [
    { n: 1, hits: 2 },
    { n: 2, hits: 2 },
  ]);
  await patient.close();
});

test('changes that wait for each other leave connections for reads, and those that wait too long are refused', async () => {
  await using at = await opened();
  await at.database.change((sql) => sql.run('INSERT INTO numbers VALUES (1)'));
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const lock = (sql: Transaction) => sql.rows('SELECT n FROM numbers WHERE n = 1 FOR UPDATE');
  const patient = new Database({ ...optionsFor(at.url), timeoutMs: 60_000 });
  const first = patient.change(async (sql) => {
    await lock(sql);
    reached.resolve();
    await held.promise;
  });
  await reached.promise;
  const waiting = Array.from({ length: 12 }, () => at.database.change(lock));
  const outcomes = Promise.allSettled(waiting);
  assert.deepEqual(await at.database.read((sql) => sql.rows('SELECT n FROM numbers')), [{ n: 1 }]);
  await assert.rejects(waiting.at(-1) as Promise<unknown>, isKind('unavailable'));
  held.resolve();
  await first;
  await patient.close();
  await outcomes;
  assert.deepEqual(await at.database.change(lock), [{ n: 1 }]);
});

test('numbers that JavaScript cannot hold exactly are errors', async () => {
  await using at = await opened();
  const largest = await at.database.read((sql) => sql.first('SELECT 9007199254740991::bigint AS n'));
  assert.deepEqual(largest, { n: 9007199254740991 });
  await assert.rejects(
    at.database.read((sql) => sql.first('SELECT 9007199254740993::bigint AS n')),
    RangeError,
  );
});

async function throughProxy(url: string): Promise<{ passage: Passage; url: string }> {
  const passage = await toxiproxy.before(`http://127.0.0.1:${postgres.port}`);
  return { passage, url: url.replace(`:${postgres.port}`, `:${new URL(passage.url).port}`) };
}

test('a COMMIT whose reply is lost has an unknown outcome, whatever it was; before it the error is unavailable', async () => {
  await using at = await opened();
  const { passage, url } = await throughProxy(at.url);
  const database = new Database({ ...optionsFor(url), timeoutMs: 1_000 });
  try {
    await database.read((sql) => sql.rows('SELECT 1'));
    // Nothing comes back any more, but what is sent arrives.
    await assert.rejects(
      database.change(async (sql) => {
        await sql.run('INSERT INTO numbers VALUES (1)');
        await passage.poison({ type: 'timeout', attributes: { timeout: 0 } });
      }),
      isKind('outcome_unknown'),
    );
    const rows = await at.database.read((sql) => sql.rows('SELECT n FROM numbers'));
    assert.deepEqual(rows, [{ n: 1 }]);
    await assert.rejects(
      database.change((sql) => sql.run('INSERT INTO numbers VALUES (2)')),
      isKind('unavailable'),
    );
    await passage.close();
    await assert.rejects(
      database.read((sql) => sql.rows('SELECT 1')),
      isKind('unavailable'),
    );
    await passage.heal();
    await passage.open();
    await database.change((sql) => sql.run('INSERT INTO numbers VALUES (3)'));
    assert.deepEqual(await at.database.read((sql) => sql.rows('SELECT n FROM numbers ORDER BY n')), [
      { n: 1 },
      { n: 3 },
    ]);
  } finally {
    await database.close();
  }
});

test('after a restart of PostgreSQL reads and changes go on', async () => {
  await using at = await opened();
  await at.database.change((sql) => sql.run('INSERT INTO numbers VALUES (1)'));
  await postgres.down();
  await assert.rejects(
    at.database.change((sql) => sql.run('INSERT INTO numbers VALUES (2)')),
    isKind('unavailable'),
  );
  await postgres.up();
  await at.database.change((sql) => sql.run('INSERT INTO numbers VALUES (3)'));
  const rows = await at.database.read((sql) => sql.rows('SELECT n FROM numbers ORDER BY n'));
  assert.deepEqual(rows, [{ n: 1 }, { n: 3 }]);
});

test('several servers that start at once migrate once; tables of a newer server are refused', async () => {
  const options = optionsFor(await postgres.newDatabase());
  await Promise.all([migrate(options), migrate(options), migrate(options)]);
  const made = await postgres.query('SELECT number FROM migrations ORDER BY number', options.url);
  const known = knownMigrations();
  assert.deepEqual(
    made.map(({ number }) => number),
    known.map(({ number }) => number),
  );

  const newest = newestOf(known);
  const runsWith = Math.max(...known.map((each) => each.runsWith));
  const expand = {
    number: newest + 1,
    name: 'expand',
    runsWith,
    text: 'ALTER TABLE names ADD COLUMN more text',
  };
  await migrate(options, [...known, expand]);
  // The release before can still start.
  await migrate(options);
  const contract = {
    number: newest + 2,
    name: 'contract',
    runsWith: newest + 1,
    text: 'ALTER TABLE names DROP COLUMN more',
  };
  const refused = {
    kind: 'internal',
    message: new RegExp(
      `newer server .* know migration ${newest + 1} can use it; this one knows ${newest}\\.`,
    ),
    hint: /Install the newer server/,
  };
  await migrate(options, [...known, expand, contract]);
  await assert.rejects(migrate(options), refused);
  // What was taken away does not come back with a migration that says less.
  const careless = { number: newest + 3, name: 'careless', runsWith, text: 'SELECT 1' };
  await migrate(options, [...known, expand, contract, careless]);
  await assert.rejects(migrate(options), refused);
});

test('migrations have numbers without gaps; one that only adds runs with the same servers as before, and one that does not says why', () => {
  let before = 1;
  for (const [index, { number, name, runsWith, text }] of knownMigrations().entries()) {
    assert.equal(number, index + 1);
    assert.ok(runsWith >= before && runsWith <= number, `${name} runs with ${runsWith}`);
    if (runsWith > before) assert.match(text.split('\n')[1] ?? '', /^-- Raised: \S/, name);
    before = runsWith;
  }
});

test('a database that refuses does so at once, for reads and changes, until the end', async () => {
  await using at = await opened();
  at.database.refuse(new FrameholdError('unavailable', 'Too old.'));
  await assert.rejects(
    at.database.read((sql) => sql.rows('SELECT 1')),
    /Too old/,
  );
  await assert.rejects(
    at.database.change((sql) => sql.run('INSERT INTO numbers VALUES (1)')),
    /Too old/,
  );
});
