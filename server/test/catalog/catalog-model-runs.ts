import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { asFrameholdError } from '../../src/model/errors.ts';
import type { DescribedVersion, PartRecord, VersionRecord } from '../../src/model/version.ts';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import { type Commit, firstForm } from '../../src/ports/catalog/versions.ts';
import type { MakeCatalog } from './catalog-conformance.ts';
import { CatalogModel, type ModelRecord, type ModelRows } from './catalog-model.ts';
import {
  change,
  dayMs,
  dropOf,
  parquetOf,
  parquetPartOf,
  partOf,
  schemaOf,
  start,
  undropOf,
} from './change-builder.ts';
import { garbageOf } from './conformance/assertions.ts';

let catalog: Catalog;

const compactionLimits = {
  partBytesMax: 1000,
  runBytesMax: 10_000,
  runPartsMin: 2,
  runPartsMax: 8,
  growthMin: 1.5,
};
const schemas = [schemaOf('a'), schemaOf('b')] as const;
const name = fc.constantFrom('f', 'F', 'g');
const version = fc.option(fc.integer({ min: 1, max: 8 }), { freq: 2 });
const ttlMs = fc.constantFrom(undefined, undefined, null, 1, dayMs, 40 * dayMs);
const schema = fc.constantFrom(0 as const, 0 as const, 1 as const);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('commit' as const),
      name,
      mode: fc.constantFrom('create' as const, 'replace' as const, 'append' as const, 'append' as const),
      ifVersion: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 5 }),
      schema,
      ttlMs,
      key: fc.option(fc.constantFrom('k1', 'k2'), { freq: 5 }),
      fingerprint: fc.constantFrom('p', 'p', 'q'),
      asParquet: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('resolve' as const), name, version }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('parts' as const), name, version }) },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('rows between' as const),
      name,
      after: fc.integer({ min: 0, max: 9 }),
      more: fc.option(fc.integer({ min: 0, max: 8 }), { freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('list' as const), name }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('versions' as const), name }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('expire' as const), name, ttlMs }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('drop' as const),
      name,
      version,
      ifVersion: version,
      undropMs: fc.constantFrom(0, dayMs),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('undrop' as const), name }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('purge' as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('restore' as const),
      name,
      version: fc.integer({ min: 1, max: 8 }),
      ifVersion: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 5 }),
      key: fc.option(fc.constantFrom('k1', 'k2'), { freq: 5 }),
      fingerprint: fc.constantFrom('p', 'q'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('sweep' as const),
      keep: fc.integer({ min: 1, max: 3 }),
      ageMs: fc.option(fc.constantFrom(1, dayMs), { freq: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('transcode' as const), exact: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('evict' as const) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('compact' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('compact these' as const),
      name,
      first: fc.integer({ min: 0, max: 2 }),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('collect' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('wait' as const), ms: fc.constantFrom(1, dayMs, 31 * dayMs) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Each run has a tenant of its own, and leaves no live name behind. */
let runs = 0;
let now = start;

/** The same sequences for every catalog. All runs of a file have one catalog. */
export function catalogModelRuns(name: string, makeCatalog: MakeCatalog, numRuns = 60): void {
  before(async () => {
    catalog = await makeCatalog();
  });
  after(() => catalog.close());

  test(`any sequence of operations does in ${name} what the model does`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }), async (steps) => {
        const run = new Run(`t${runs++}`);
        for (const each of steps) await run.take(each);
        await run.finish();
      }),
      { seed: 20260101, numRuns, endOnFailure: true },
    );
  });
}

class Run {
  readonly #tenant: string;
  readonly #model = new CatalogModel();
  readonly #committed = new Set<string>();
  #lastPart = partOf();
  #restored = false;

  constructor(tenant: string) {
    this.#tenant = tenant;
  }

  async take(each: Step): Promise<void> {
    const tenant = this.#tenant;
    const model = this.#model;
    switch (each.op) {
      case 'commit':
        await this.#commit(each);
        break;
      case 'resolve':
        await same(
          () => model.resolve(each.name, each.version, now),
          async () => brief(await catalog.resolve(tenant, each.name, each.version, now)),
        );
        break;
      case 'parts':
        await same(
          () => model.parts(each.name, each.version ?? 1),
          async () => (await catalog.parts(tenant, each.name, each.version ?? 1)).map(describePart),
        );
        break;
      case 'rows between':
        await same(
          () => model.rowsBetween(each.name, each.after, untilOf(each), now),
          () => this.#rowsBetween(each.name, each.after, untilOf(each)),
        );
        break;
      case 'list':
        await same(
          () => model.list(each.name, now),
          async () => {
            const page = { prefix: each.name, after: null, limit: 10 };
            return (await catalog.list(tenant, { ...page, schemas: true }, now)).map(brief);
          },
        );
        break;
      case 'versions':
        await same(
          () => model.versions(each.name, now),
          async () => {
            const page = { before: null, limit: 100 };
            return (await catalog.versions(tenant, each.name, page, now)).map((record) => record.version);
          },
        );
        break;
      case 'expire': {
        const expiresAt = each.ttlMs === undefined || each.ttlMs === null ? null : now + each.ttlMs;
        await same(
          () => model.expire(each.name, expiresAt, now),
          async () => brief(await catalog.expire(tenant, each.name, expiresAt, now)),
        );
        break;
      }
      case 'drop':
        await same(
          () => model.drop(each.name, each.version, each.ifVersion, now, each.undropMs),
          () => catalog.drop(dropOf(tenant, each.name, each.version, each.ifVersion, now, each.undropMs)),
        );
        break;
      case 'undrop':
        await same(
          () => model.undrop(each.name, now),
          async () => brief((await catalog.undrop(undropOf(tenant, each.name, null, now))).record),
        );
        break;
      case 'purge':
        assert.equal(await catalog.purge(tenant, each.name), model.purge(each.name));
        break;
      case 'restore':
        await this.#restore(each);
        break;
      case 'sweep':
        await this.#sweep(each.keep, each.ageMs === null ? null : now - each.ageMs);
        break;
      case 'compact':
        await this.#compactionOffered();
        break;
      case 'compact these': {
        const newest = await catalog.resolve(tenant, each.name, null, now).catch(() => null);
        if (newest === null) break;
        const parts = await catalog.parts(tenant, newest.name, newest.version);
        await this.#compact(parts.slice(each.first, each.first + each.count));
        break;
      }
      case 'transcode':
        await this.#transcode(each.exact);
        break;
      case 'evict':
        model.evict(this.#lastPart.id);
        await catalog.evict(this.#lastPart.id);
        break;
      case 'collect': {
        const garbage = await garbageOf(catalog, 1000);
        await catalog.forget(garbage);
        for (const key of garbage) this.#committed.delete(key);
        break;
      }
      case 'wait':
        now += each.ms;
    }
    await this.#checkObjects();
  }

  async #rowsBetween(of: string, after: number, until: number | null): Promise<ModelRows> {
    const found = await catalog.rowPositions(this.#tenant, of, after, until, now);
    const { version: read, versionId, untilId, firstRow, endRow } = found;
    if (read === found.until) assert.equal(untilId, versionId);
    const { rowsBefore, parts } = await catalog.partsBetween(
      this.#tenant,
      of,
      read,
      firstRow,
      endRow,
      versionId,
    );
    let before = rowsBefore;
    const placed = parts.map(({ id, rows }) => {
      before += rows;
      return `${id} ${before - rows}`;
    });
    return { version: read, until: found.until, firstRow, endRow, parts: placed };
  }

  /** With every name dropped, all is garbage and nothing is left of it once it is forgotten. */
  async finish(): Promise<void> {
    for (const { name: live } of await catalog.list(
      this.#tenant,
      { prefix: '', after: null, limit: 10 },
      now,
    )) {
      this.#model.drop(live, null, null, now);
      await catalog.drop(dropOf(this.#tenant, live, null, null, now));
    }
    now += 100 * dayMs;
    this.#model.sweep(1, null, now);
    await catalog.sweep(1, null, now);
    await this.#checkObjects();
    assert.equal(await catalog.arrowBytes(), 0);
    assert.deepEqual(await catalog.untranscoded(10, Number.POSITIVE_INFINITY, start), []);
    await catalog.forget(await garbageOf(catalog, 1000));
    assert.deepEqual(await catalog.known([...this.#committed]), []);
  }

  async #restore(each: Extract<Step, { op: 'restore' }>): Promise<void> {
    const { name: restored, version: from, ifVersion, key, fingerprint } = each;
    const idempotency = key === null ? null : { key, fingerprint };
    const attempt = randomUUID();
    const wanted = {
      attempt,
      tenant: this.#tenant,
      name: restored,
      version: from,
      ifVersion: ifVersion === null ? null : { version: ifVersion },
      idempotency,
      now,
    };
    const outcome = await same(
      () => this.#model.restore(wanted),
      async () => {
        const { record, replayed } = await catalog.restore(wanted);
        return { record: brief(record), replayed };
      },
    );
    if (outcome?.replayed === false) this.#restored = true;
  }

  async #commit(each: Extract<Step, { op: 'commit' }>): Promise<void> {
    const arrowPut = change(each.name, each.mode, {
      tenant: this.#tenant,
      ifVersion: each.ifVersion === null ? null : { version: each.ifVersion },
      schema: schemas[each.schema],
      baseSchemaHash: each.mode === 'append' ? schemas[0].hash : null,
      expiresAt: typeof each.ttlMs === 'number' ? now + each.ttlMs : each.ttlMs,
      idempotency: each.key === null ? null : { key: each.key, fingerprint: each.fingerprint },
      now,
    });
    const put: Commit = each.asParquet
      ? { ...arrowPut, part: parquetPartOf(10, 100, this.#tenant) }
      : arrowPut;
    const outcome = await same(
      () => {
        return this.#model.commit(put);
      },
      async () => {
        const { record, created, replayed } = await catalog.commit(put);
        return { record: brief(record), created, replayed };
      },
    );
    if (!outcome || outcome.replayed) return;
    for (const { key } of firstForm(put.part).objects) this.#committed.add(key);
    if ('arrow' in put.part) this.#lastPart = put.part;
  }

  async #sweep(keep: number, since: number | null): Promise<void> {
    this.#model.sweep(keep, since, now);
    await catalog.sweep(keep, since, now);
  }

  /** What the catalog offers can be compacted. */
  async #compactionOffered(): Promise<void> {
    const run = await catalog.compactable(compactionLimits, start);
    if (run === null) return;
    assert.equal(run.tenant, this.#tenant);
    assert.ok(run.parts.length >= compactionLimits.runPartsMin);
    assert.equal(await this.#compact(run.parts), true);
  }

  async #compact(parts: readonly PartRecord[]): Promise<boolean> {
    if (parts.length === 0) return false;
    const ids = parts.map((part) => part.id);
    const rows = parts.reduce((sum, part) => sum + part.rows, 0);
    const compacted = partOf(rows, 70, this.#tenant);
    this.#committed.add(compacted.arrow.key);
    const done = await catalog.compact(ids, compacted, now);
    // Parts on both sides of the end of a restored version are in two logs, and stay apart even if no version ends there any more.
    if (done || !this.#restored) assert.equal(done, this.#model.compact(ids, compacted));
    return done;
  }

  async #transcode(exact: boolean): Promise<void> {
    // Once for a part, and only while it is there: its keys may be garbage otherwise.
    const untranscoded = await catalog.untranscoded(1000, Number.POSITIVE_INFINITY, start);
    if (!untranscoded.some((part) => part.id === this.#lastPart.id)) return;
    const form = parquetOf(this.#lastPart, exact);
    for (const { key } of form.objects) {
      this.#committed.add(key);
      this.#model.addParquet(this.#lastPart.id, key, exact);
    }
    await catalog.addForm(this.#lastPart.id, form, start);
  }

  /** Every object is either in use or garbage, never both, never neither. */
  async #checkObjects(): Promise<void> {
    const used = this.#model.usedKeys();
    const garbage = await garbageOf(catalog, 1000);
    assert.deepEqual([...used, ...garbage].sort(), [...this.#committed].sort());
    assert.equal(await catalog.arrowBytes(), this.#model.arrowBytes());
  }
}

/** Both give the same value, or refuse with the same kind. */
async function same<Value>(expect: () => Value, act: () => Promise<Value>): Promise<Value | null> {
  let expected: { value: Value } | { kind: string };
  try {
    expected = { value: expect() };
  } catch (error) {
    expected = { kind: asFrameholdError(error).kind };
  }
  let actual: { value: Value } | { kind: string };
  try {
    actual = { value: await act() };
  } catch (error) {
    actual = { kind: asFrameholdError(error).kind };
  }
  assert.deepEqual(actual, expected);
  return 'value' in actual ? actual.value : null;
}

function untilOf({ after, more }: Extract<Step, { op: 'rows between' }>): number | null {
  return more === null ? null : Math.max(1, after + more);
}

function brief(record: DescribedVersion | VersionRecord): ModelRecord {
  const { name: spelling, version: number, expiresAt, rows, bytes, partCount, schema } = record;
  return {
    name: spelling,
    version: number,
    expiresAt,
    rows,
    bytes,
    partCount,
    // A replayed answer has the columns alone.
    schemaHash: 'hash' in schema ? schema.hash : schemaOf(...schema.columns.map(({ name }) => name)).hash,
  };
}

function describePart(part: PartRecord): string {
  const arrow = part.forms.some((form) => form.kind === 'arrow');
  const parquet = part.forms.find((form) => form.kind === 'parquet');
  return `${part.id} ${arrow ? 'arrow' : ''} ${parquet?.exact ?? ''}`;
}
