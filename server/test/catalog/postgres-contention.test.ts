import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { FrameholdError } from '../../src/model/errors.ts';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import { partWork } from '../../src/ports/catalog/leases.ts';
import { Database } from '../../src/postgres/database.ts';
import { inLongRun } from '../support/long-run.ts';
import { timePasses } from '../support/passing-time.ts';
import { eventually } from '../support/patience.ts';
import { openAt, PostgresCatalogs } from '../support/postgres-catalogs.ts';
import {
  change,
  dayMs,
  dropOf,
  parquetOf,
  partOf,
  plainSchema,
  schemaOf,
  undropOf,
} from './change-builder.ts';

/** Everything that nodes do to a few names, at once and for some time. */

/** How often each kind of work has to succeed before all of it ends: so a slow machine shows as much as a fast one. */
const wanted = inLongRun(300, 25);
/** Of one of each; only ends a test that would hang. */
const slowestMs = 10_000;
const tenants = ['acme', 'other'];
const names = ['f', 'g'];
const schemas = [plainSchema, plainSchema, plainSchema, schemaOf('c')];
const limits = { partBytesMax: 1000, runBytesMax: 100_000, runPartsMin: 2, runPartsMax: 20, growthMin: 2 };

/** What a change may be answered if another one was faster. */
const expected = new Set([
  'frame_not_found',
  'frame_gone',
  'frame_exists',
  'name_in_use',
  'schema_conflict',
  'version_mismatch',
]);

let catalogs: PostgresCatalogs;
before(async () => {
  catalogs = await PostgresCatalogs.start();
});
after(() => catalogs.stop());

function anyOf<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}

class Storm {
  readonly nodes: readonly Catalog[];
  /** Acknowledged versions, as tenant/name@version. */
  readonly made: string[] = [];
  readonly done = new Map<string, number>();
  readonly keys: string[] = [];
  readonly collected = new Set<string>();
  readonly #deadline = Date.now() + wanted * slowestMs;
  #isFailed = false;

  constructor(nodes: readonly Catalog[]) {
    this.nodes = nodes;
  }

  /** Repeats one kind of work on all nodes until every kind has been done often enough. */
  async repeat(kind: string, work: (catalog: Catalog, tenant: string, name: string) => Promise<unknown>) {
    this.done.set(kind, 0);
    const loop = async (catalog: Catalog) => {
      while (!this.#isOver()) {
        try {
          if (await work(catalog, anyOf(tenants), anyOf(names))) this.#count(kind);
        } catch (error) {
          if (error instanceof FrameholdError && expected.has(error.kind)) continue;
          this.#isFailed = true;
          throw error;
        }
      }
    };
    await Promise.all(this.nodes.map(loop));
  }

  #isOver(): boolean {
    if (this.#isFailed || [...this.done.values()].every((count) => count >= wanted)) return true;
    assert.ok(Date.now() < this.#deadline, `too slow: ${JSON.stringify([...this.done])}`);
    return false;
  }

  async put(catalog: Catalog, tenant: string, name: string): Promise<boolean> {
    const mode = anyOf(['append', 'append', 'append', 'append', 'create', 'replace'] as const);
    const expiresAt = Math.random() < 0.1 ? Date.now() + 50 : undefined;
    // Schemas come and go with the versions that have them, and some changes are repeated under their key.
    const schema = anyOf(schemas);
    const key =
      Math.random() < 0.3 ? { key: `k${Math.floor(Math.random() * 50)}`, fingerprint: 'same' } : null;
    const put = change(name, mode, { tenant, now: Date.now(), expiresAt, schema, idempotency: key });
    this.keys.push(put.part.arrow.key);
    const { record, replayed } = await catalog.commit(put);
    if (!replayed) this.made.push(`${tenant}/${name}@${record.version}`);
    return !replayed;
  }

  async restore(catalog: Catalog, tenant: string, name: string): Promise<boolean> {
    const newest = await catalog.resolve(tenant, name, null, Date.now());
    const version = Math.max(1, newest.version - 1);
    const attempt = { attempt: randomUUID(), idempotency: null, ifVersion: null, now: Date.now() };
    const { record } = await catalog.restore({ ...attempt, tenant, name, version });
    this.made.push(`${tenant}/${name}@${record.version}`);
    return true;
  }

  async drop(catalog: Catalog, tenant: string, name: string): Promise<boolean> {
    await timePasses(30, 'names are to live long enough for the other work');
    const undropMs = anyOf([0, 40, dayMs]);
    const version =
      Math.random() < 0.5 ? null : (await catalog.resolve(tenant, name, null, Date.now())).version;
    await catalog.drop(dropOf(tenant, name, version, null, Date.now(), undropMs));
    if (Math.random() < 0.5) await catalog.undrop(undropOf(tenant, name, null, Date.now()));
    else if (Math.random() < 0.3) await catalog.purge(tenant, name);
    return true;
  }

  async compact(catalog: Catalog): Promise<boolean> {
    const run = await catalog.compactable(limits, Date.now());
    if (run === null) return false;
    const work = partWork.compact(run.parts[0]?.id ?? '');
    const owner = randomUUID();
    if ((await catalog.lease(work, owner, Date.now() + 1_000, Date.now())) === null) return false;
    const rows = run.parts.reduce((sum, part) => sum + part.rows, 0);
    const compacted = partOf(rows, 100 * run.parts.length, run.tenant);
    this.keys.push(compacted.arrow.key);
    const ids = run.parts.map((part) => part.id);
    const isCompacted = await catalog.compact(ids, compacted, Date.now());
    await catalog.endLease(work, owner, 'done', Date.now());
    return isCompacted;
  }

  async transcode(catalog: Catalog): Promise<boolean> {
    const part = anyOf(await catalog.untranscoded(5, Date.now(), Date.now()));
    const arrow = part?.forms[0]?.objects[0];
    if (part === undefined || arrow === undefined) return false;
    const form = parquetOf({ id: part.id, rows: part.rows, arrow }, true);
    const objects = form.objects.map((object) => ({ ...object, key: `${arrow.key}.${randomUUID()}` }));
    this.keys.push(...objects.map((object) => object.key));
    if (Math.random() < 0.1) await catalog.refuseTranscoding(part.id, 'cannot be transcoded', Date.now());
    return catalog.addForm(part.id, { ...form, objects }, Date.now());
  }

  async evict(catalog: Catalog): Promise<boolean> {
    const part = anyOf(await catalog.evictable(5));
    if (part === undefined) return false;
    await catalog.evict(part.id);
    return true;
  }

  async collect(catalog: Catalog): Promise<boolean> {
    const taken = await catalog.takeGarbage({ limit: 50, delayMs: 5, leaseMs: 5_000, now: Date.now() });
    for (const key of taken) {
      assert.ok(!this.collected.has(key), `${key} was given out twice`);
      this.collected.add(key);
    }
    await catalog.forget(taken);
    return taken.length > 0;
  }

  #count(kind: string): void {
    this.done.set(kind, (this.done.get(kind) ?? 0) + 1);
  }
}

test('puts, appends, drops, compactions, transcoding, eviction, sweeps and collection at once leave tables that agree, without a deadlock', async () => {
  const url = await catalogs.empty();
  const nodes = [openAt(url), openAt(url)];
  const database = new Database({ url, connectionsMax: 2, timeoutMs: 5_000 });
  try {
    const storm = new Storm(nodes);
    await Promise.all([
      storm.repeat('put', (...at) => storm.put(...at)),
      storm.repeat('put', (...at) => storm.put(...at)),
      storm.repeat('restore', (...at) => storm.restore(...at)),
      storm.repeat('drop', (...at) => storm.drop(...at)),
      storm.repeat('compact', (catalog) => storm.compact(catalog)),
      storm.repeat('transcode', (catalog) => storm.transcode(catalog)),
      storm.repeat('evict', (catalog) => storm.evict(catalog)),
      storm.repeat('sweep', async (catalog) => {
        await catalog.sweep(4, null, Date.now());
        return true;
      }),
      storm.repeat('collect', (catalog) => storm.collect(catalog)),
      storm.repeat('share', async (catalog, tenant, name) => {
        await catalog.share(tenant, name, 'reader', Date.now());
        return catalog.unshare(tenant, name, 'reader', Date.now());
      }),
    ]);
    assert.equal(new Set(storm.made).size, storm.made.length, 'a version was acknowledged twice');
    const [node] = nodes as [Catalog];
    assert.deepEqual(await node.integrity(), []);
    await checkEvents(node);
    await checkObjects(storm, database);
    await checkEnd(node);
    assert.equal(await deadlocks(database), 0);
  } finally {
    await Promise.all([...nodes.map((node) => node.close()), database.close()]);
  }
});

/** Numbered without gaps; and a version is made once. */
async function checkEvents(catalog: Catalog): Promise<void> {
  for (const tenant of tenants) {
    const { last, oldest } = await catalog.events(tenant, 0, 0);
    let after = oldest - 1;
    const versions = new Set<string>();
    while (after < last) {
      const { events } = await catalog.events(tenant, after, 1_000);
      for (const { seq, kind, frame } of events) {
        assert.equal(seq, ++after);
        if (!/created|replaced|appended|restored/.test(kind)) continue;
        const version = `${frame.name}@${frame.version}`;
        assert.ok(!versions.has(version), `${version} was made twice`);
        versions.add(version);
      }
    }
  }
}

/** Every object belongs to a part, or is garbage, or was collected, or belonged to a change that was refused. Never two of the first three. */
async function checkObjects(storm: Storm, database: Database): Promise<void> {
  const rows = await database.read((sql) =>
    sql.rows<{ key: string; at: string }>(
      `SELECT key, 'part' AS at FROM objects UNION ALL SELECT key, 'garbage' FROM garbage`,
    ),
  );
  const keys = rows.map((row) => row.key);
  assert.equal(new Set(keys).size, keys.length, 'an object is garbage and belongs to a part');
  for (const { key, at } of rows)
    assert.ok(!storm.collected.has(key), `${key} was collected, and is ${at} now`);
  const given = new Set(storm.keys);
  assert.deepEqual(
    keys.filter((key) => !given.has(key)),
    [],
  );
}

/** With every name dropped nothing is left but what is remembered. */
async function checkEnd(catalog: Catalog): Promise<void> {
  const later = Date.now() + 2 * dayMs;
  for (const tenant of tenants)
    for (const name of names) {
      await catalog.drop(dropOf(tenant, name, null, null, Date.now())).catch((error: unknown) => {
        if (!(error instanceof FrameholdError)) throw error;
      });
      await catalog.purge(tenant, name);
    }
  await catalog.sweep(1, null, later);
  for (const tenant of tenants) assert.deepEqual(await catalog.usage(tenant), { frames: 0, bytes: 0 });
  assert.equal(await catalog.arrowBytes(), 0);
  assert.deepEqual(await catalog.objects(null, 10), []);
  assert.deepEqual(await catalog.integrity(), []);
  // A name that lives again afterwards is as any other.
  await catalog.commit(change('f', 'replace', { tenant: 'acme', schema: plainSchema, now: later }));
}

/** PostgreSQL counts them with a little delay. */
async function deadlocks(database: Database): Promise<number> {
  const counted = () =>
    database.read((sql) =>
      sql.first<{ deadlocks: number; commits: number }>(
        `SELECT deadlocks, xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()`,
      ),
    );
  await eventually('statistics', async () => ((await counted())?.commits ?? 0) > 100);
  return (await counted())?.deadlocks ?? -1;
}
