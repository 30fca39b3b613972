/** Real clients of PostgreSQL, against a real PostgreSQL and against this server, with the same tables. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { repositoryRoot } from '../../server/test/support/repository.ts';
import { clients } from './clients.ts';
import { differences } from './differences.ts';
import { faultsOf, type Matrix, matrixPage, runClients, unexpected } from './matrix.ts';
import { isCompared, type Side, startFramehold, startPostgres } from './sides.ts';

let postgres: Matrix;
before(async () => {
  await using side = await startPostgres();
  postgres = await runClients(clients, side);
});

describe('against PostgreSQL', () => {
  for (const { name } of clients)
    test(name, () => {
      const results = postgres.get(name);
      assert.ok(results && results.size > 10, `${name} has ${results?.size} features`);
      assert.deepEqual(faultsOf(new Map([[name, results]])), []);
    });
});

test('the page has the features that were run', () => {
  const page = readFileSync(join(repositoryRoot, 'docs', 'reference', 'postgres-clients.md'), 'utf8');
  assert.equal(page, matrixPage(postgres, differences, isCompared));
});

test('each difference names a client and a feature', () => {
  const unknown = differences.filter(({ client, feature }) => !postgres.get(client)?.has(feature));
  assert.deepEqual(unknown, []);
});

describe('against Framehold', { skip: isCompared ? false : 'runs with TEST_POSTGRES_LISTENER=true' }, () => {
  let side: Side;
  let framehold: Matrix;
  before(async () => {
    side = await startFramehold();
    framehold = await runClients(clients, side);
  });
  after(() => side?.[Symbol.asyncDispose]());

  for (const { name } of clients)
    test(name, () => {
      const only = (matrix: Matrix): Matrix => new Map([[name, matrix.get(name) ?? new Map()]]);
      const listed = differences.filter(({ client }) => client === name);
      assert.deepEqual(unexpected(only(postgres), only(framehold), listed), []);
    });
});
