import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CachedCredentials } from '../../../src/auth/cached-credentials.ts';
import { CachedLimits } from '../../../src/auth/cached-limits.ts';
import { LinkSigner } from '../../../src/auth/link-signer.ts';
import { mintCredential } from '../../../src/auth/new-credential.ts';
import { PostgresCredentials } from '../../../src/auth/postgres/postgres-credentials.ts';
import { PostgresLinkKeys } from '../../../src/auth/postgres/postgres-link-keys.ts';
import { parseToken, type Token } from '../../../src/auth/token.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { connectTo, newCatalogDatabase } from '../../postgres/open-database.ts';
import { timePasses } from '../../support/passing-time.ts';
import { eventually } from '../../support/patience.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import { repositoryRoot } from '../../support/repository.ts';

let postgres: PostgresServer;
before(async () => {
  postgres = await PostgresServer.start();
});
after(() => postgres.stop());

/** Nodes side by side, each with connections of its own. */
async function nodes(count: number, timeoutMs?: number) {
  const url = await newCatalogDatabase(postgres);
  const made = new AsyncDisposableStack();
  const each = Array.from({ length: count }, () => {
    const database = made.adopt(connectTo(url, timeoutMs), (open) => open.close());
    const source = new PostgresCredentials(database);
    const known = made.adopt(new CachedCredentials(source, Date.now), (open) => open.close());
    return { database, source, known };
  });
  return { url, each, made, [Symbol.asyncDispose]: () => made.disposeAsync() };
}

/** After this a revoked token counts nowhere (docs/reference/access.md). */
const revocationMs = 1_000;

const wanted = { tenant: 'a', scopes: ['read'], name: null, ttlMs: 60_000, certificate: null } as const;

async function tokenIn(source: PostgresCredentials): Promise<Token> {
  const { credential, token } = mintCredential(wanted, Date.now());
  await source.add(credential);
  const parsed = parseToken(token ?? '');
  assert(parsed !== null);
  return parsed;
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  assert(item !== undefined);
  return item;
}

test('of nodes that start together one makes the first token, and none later', async () => {
  await using cluster = await nodes(8);
  const tryIt = () =>
    Promise.all(
      cluster.each.map(({ source }) => source.addFirst(mintCredential(wanted, Date.now()).credential)),
    );
  assert.equal((await tryIt()).filter(Boolean).length, 1);
  const { source } = at(cluster.each, 0);
  const [only, ...more] = await source.all();
  assert.deepEqual(more, []);
  await source.revoke(only?.id ?? '', Date.now());
  assert.equal((await tryIt()).filter(Boolean).length, 0, 'also if it was revoked');
});

test('a token counts on every node from the moment it was made, and on none a second after it was revoked', async () => {
  await using cluster = await nodes(3);
  const first = at(cluster.each, 0);
  for (let round = 0; round < 20; round++) {
    const token = await tokenIn(first.source);
    // Some of these come while a look is under way that began before the token was made.
    const identities = await Promise.all(cluster.each.map(async ({ known }) => known.byToken(token)));
    assert.deepEqual(
      identities.map(({ tenant }) => tenant),
      ['a', 'a', 'a'],
    );
    await timePasses(round * 7, 'the next token comes at another moment between two looks');
    if (round < 18) continue;
    assert.equal(await first.source.revoke(token.id, Date.now()), true);
    await timePasses(revocationMs, 'the second that is promised');
    for (const { known } of cluster.each)
      await assert.rejects(async () => known.byToken(token), /was revoked at/);
    assert.deepEqual(
      identities.map(({ isCurrent }) => isCurrent()),
      [false, false, false],
    );
  }
  assert.equal(await first.source.revoke('aaaaaaaaaaaa', Date.now()), false);
});

test('a node that was idle does not accept a token that was revoked meanwhile', async () => {
  await using cluster = await nodes(2);
  const [one, other] = [at(cluster.each, 0), at(cluster.each, 1)];
  const token = await tokenIn(one.source);
  await other.known.byToken(token);
  // Without its looks: as after a stop of the whole process.
  other.known.close();
  await one.source.revoke(token.id, Date.now());
  await timePasses(revocationMs, 'the second that is promised');
  await assert.rejects(async () => other.known.byToken(token), /was revoked at/);
});

test('while the database does not answer, new requests are refused as unavailable, and those under way go on', async () => {
  await using cluster = await nodes(1, 700);
  const { known, source } = at(cluster.each, 0);
  const token = await tokenIn(source);
  const identity = await known.byToken(token);
  postgres.pause();
  try {
    await eventually('what was seen is too old for a new request', async () => {
      try {
        await known.byToken(token);
        return false;
      } catch (error) {
        assert(error instanceof FrameholdError);
        assert.equal(error.kind, 'unavailable');
        return true;
      }
    });
    assert.equal(identity.isCurrent(), true);
  } finally {
    postgres.resume();
  }
  await eventually('the token counts again', async () => {
    try {
      return (await known.byToken(token)).tenant === 'a';
    } catch {
      return false;
    }
  });
});

test('limits that one node sets apply on the others, and are reported there only', async () => {
  await using cluster = await nodes(2);
  const told: unknown[][] = [[], []];
  const limits = await Promise.all(
    cluster.each.map(({ source }, index) =>
      CachedLimits.open(source, (...change) => void told[index]?.push(change)),
    ),
  );
  for (const each of limits) cluster.made.defer(() => each.close());
  const [one, other] = [at(limits, 0), at(limits, 1)];
  assert.deepEqual(await one.set('a', { bytesMax: 5, queriesMax: 2 }), { bytesMax: 5, queriesMax: 2 });
  assert.deepEqual(await one.set('a', { queriesMax: null }), { bytesMax: 5 });
  await eventually('the other node knows', () => other.of('a').bytesMax === 5);
  await eventually('and what was taken back', () => other.of('a').queriesMax === undefined);
  assert.deepEqual(one.of('a'), { bytesMax: 5 });
  // A look that would report them as foreign reports this one too, or comes before it.
  await other.set('b', { framesMax: 1 });
  await eventually('a later look', () => one.of('b').framesMax === 1);
  assert.deepEqual(told[0], [['b', { framesMax: 1 }]]);
  assert.ok((told[1]?.length ?? 0) >= 1);
});

const documented = readFileSync(join(repositoryRoot, 'docs/reference/access.md'), 'utf8');
const newKey = /^INSERT INTO link_keys[^;]+;/m.exec(documented)?.[0] ?? '';

test('nodes that start at the same moment make one key, and read each others links across a change of keys', async () => {
  const url = await newCatalogDatabase(postgres);
  await using made = new AsyncDisposableStack();
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const keys = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const database = made.adopt(connectTo(url), (open) => open.close());
      return made.adopt(await PostgresLinkKeys.open(database, now), (open) => open.close());
    }),
  );
  const signers = keys.map((each) => new LinkSigner(each));
  const [one, other] = [at(signers, 0), at(signers, 1)];
  assert.equal(new Set(keys.map(({ newest }) => newest.id)).size, 1);
  const link = { tenant: 'a', name: 'f', version: 1, expiresAt: Date.now() + 60_000 };
  const before = one.sign(link);
  // As docs/reference/access.md has it.
  await postgres.query(newKey, url);
  const [added] = await postgres.query('SELECT id FROM link_keys ORDER BY signs_from DESC LIMIT 1', url);
  await eventually('all know the new key', () => keys.every((each) => each.find(String(added?.id)) !== null));
  assert.equal(
    at(keys, 1).newest.id,
    at(keys, 0).newest.id,
    'nobody signs with a key that others may not know',
  );
  ahead = 5_000;
  const after = other.sign(link);
  assert.notEqual(before.split('.')[0], after.split('.')[0]);
  for (const signer of signers) assert.deepEqual([signer.read(before), signer.read(after)], [link, link]);
  await postgres.query('DELETE FROM link_keys', url);
  await eventually('links end with their keys', () =>
    signers.every((signer) => signer.read(before) === null && signer.read(after) === null),
  );
  await eventually('there is one new key for all', () => {
    try {
      return new Set(keys.map(({ newest }) => newest.id)).size === 1;
    } catch {
      return false;
    }
  });
});
