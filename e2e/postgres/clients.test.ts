/** Real clients of PostgreSQL, against a real PostgreSQL and against this server, with the same tables. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { repositoryRoot } from '../../server/test/support/repository.ts';
import { clients } from './clients.ts';
import { faultsOf, type Matrix, matrixPage, runClients, unexpected, unknownEntries } from './matrix.ts';
import { type Side, startFramehold, startPostgres } from './sides.ts';

let postgres: Matrix;
before(async () => {
  await using side = await startPostgres();
  postgres = await runClients(clients, side);
});

function resultsOf(matrix: Matrix, client: string) {
  const results = matrix.get(client);
  assert.ok(results && results.size > 10, `${client} has ${results?.size} features`);
  return results;
}

describe('against PostgreSQL', () => {
  for (const { name } of clients)
    test(name, () => assert.deepEqual(faultsOf(new Map([[name, resultsOf(postgres, name)]])), []));
});

test('the page has the features that were run', () => {
  const page = readFileSync(join(repositoryRoot, 'docs', 'reference', 'postgres-clients.md'), 'utf8');
  assert.equal(page, matrixPage(postgres));
});

test('each difference names a client and a feature', () => assert.deepEqual(unknownEntries(postgres), []));

describe('against Framehold', () => {
  let side: Side;
  let framehold: Matrix;
  before(async () => {
    side = await startFramehold();
    framehold = await runClients(clients, side);
  });
  after(() => side?.[Symbol.asyncDispose]());

  for (const { name } of clients)
    test(name, () =>
      assert.deepEqual(unexpected(name, resultsOf(postgres, name), resultsOf(framehold, name)), []),
    );
});
