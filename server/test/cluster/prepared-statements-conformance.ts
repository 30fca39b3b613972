import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameholdError } from '../../src/model/errors.ts';
import type { PreparedLimits, PreparedStatements } from '../../src/ports/prepared-statements.ts';

/** Prepared statements as several processes see them: the same ones, through a view each. */
interface PreparedPlaces extends AsyncDisposable {
  readonly views: readonly [PreparedStatements, PreparedStatements, PreparedStatements];
}

type Open = (limits: PreparedLimits, now: () => number) => Promise<PreparedPlaces>;

const description = {
  isQuery: true,
  schemaMessage: new Uint8Array([1, 2]),
  parameterSchemaMessage: new Uint8Array([3]),
};
const otherDescription = { isQuery: false, schemaMessage: null, parameterSchemaMessage: new Uint8Array(0) };
const tenant = 'default';
const isAbsent = (error: unknown) => error instanceof FrameholdError && error.kind === 'query_not_found';
const arrow = (length: number, byte = 7) =>
  ({ kind: 'arrow', stream: new Uint8Array(length).fill(byte) }) as const;

/** What every implementation of the port must do. Each use is made a while after the last. */
export function preparedStatementsConformance(name: string, open: Open): void {
  const tableOf = async (limits: Partial<PreparedLimits>) => {
    const clock = { now: 1_000_000 };
    const places = await open({ countMax: 100, idleMs: 60_000, bytesMax: 1e6, ...limits }, () => clock.now);
    const [held, second, third] = places.views;
    const add = async (sql: string) => {
      clock.now += 2_000;
      return (await held.add(tenant, sql, description)).handle;
    };
    const has = async (handle: string, view = held) => {
      clock.now += 2_000;
      return view.get(tenant, handle).then(
        ({ sql }) => sql,
        (error) => {
          assert.ok(isAbsent(error), String(error));
          return null;
        },
      );
    };
    return {
      held,
      second,
      third,
      clock,
      add,
      has,
      [Symbol.asyncDispose]: () => places[Symbol.asyncDispose](),
    };
  };

  test(`${name}: one process prepares, a second binds, a third executes, and the first closes`, async () => {
    await using at = await tableOf({});
    const { handle } = await at.held.add(tenant, 'select ?', description);
    const seen = await at.second.get(tenant, handle);
    assert.deepEqual(
      [seen.sql, seen.description.isQuery, [...(seen.description.schemaMessage ?? [])], seen.parameters],
      ['select ?', true, [1, 2], null],
    );
    assert.deepEqual([...seen.description.parameterSchemaMessage], [3]);
    await at.second.bind(seen, arrow(300_000, 1));
    for (const view of [at.third, at.held, at.second]) {
      const { parameters } = await view.get(tenant, handle);
      assert.deepEqual([parameters?.stream.length, parameters?.stream[299_999]], [300_000, 1]);
    }
    await at.third.bind(await at.third.get(tenant, handle), arrow(3, 2));
    assert.deepEqual([...((await at.held.get(tenant, handle)).parameters?.stream ?? [])], [2, 2, 2]);
    await at.held.bind(seen, null);
    assert.equal((await at.third.get(tenant, handle)).parameters, null);
    await at.held.close(tenant, handle);
    for (const view of [at.held, at.second, at.third])
      await assert.rejects(view.get(tenant, handle), isAbsent);
  });

  test(`${name}: every process knows for which engine a statement was prepared`, async () => {
    await using at = await tableOf({});
    const plain = await at.held.add(tenant, 'select 1', description);
    const { handle, engine } = await at.held.add(tenant, 'select 1', description, 'spark');
    assert.equal(engine, 'spark');
    for (const view of [at.held, at.second, at.third]) {
      assert.equal((await view.get(tenant, handle)).engine, 'spark');
      assert.equal((await view.get(tenant, plain.handle)).engine, 'duckdb');
    }
    await at.second.bind(await at.second.get(tenant, handle), arrow(3));
    assert.equal((await at.third.get(tenant, handle)).engine, 'spark');
    // Nobody chooses another engine by changing a handle.
    await assert.rejects(at.held.get(tenant, handle.slice('spark-'.length)), isAbsent);
    await assert.rejects(at.held.get(tenant, `spark-${plain.handle}`), isAbsent);
  });

  test(`${name}: a new description is the one that all processes see, and it has its age`, async () => {
    await using at = await tableOf({});
    const statement = await at.held.add(tenant, 'select 1', description);
    assert.equal(at.held.isOlderThan(statement, 1_000), false);
    at.clock.now += 1_500;
    assert.equal(at.second.isOlderThan(await at.second.get(tenant, statement.handle), 1_000), true);
    await at.second.describe(statement, otherDescription);
    const again = await at.third.get(tenant, statement.handle);
    assert.deepEqual([again.description.isQuery, again.description.schemaMessage], [false, null]);
    assert.equal(at.third.isOlderThan(again, 1_000), false);
  });

  test(`${name}: the statement that was not used for the longest time goes when there are too many`, async () => {
    await using at = await tableOf({ countMax: 2 });
    const first = await at.add('one');
    const second = await at.add('two');
    assert.equal(await at.has(first, at.second), 'one');
    const third = await at.add('three');
    assert.deepEqual(
      [await at.has(first), await at.has(second), await at.has(third)],
      ['one', null, 'three'],
    );
  });

  test(`${name}: a tenant that prepares many pushes out its own, not those of others`, async () => {
    await using at = await tableOf({ countMax: 10, idleMs: 3_600_000 });
    const theirs = [
      await at.held.add('other', 'select 1', description),
      await at.third.add('other', 'select 2', description),
    ];
    const mine: string[] = [];
    for (let n = 0; n < 50; n++) mine.push(await at.add(`select ${n}`));
    for (const { handle, sql } of theirs) assert.equal((await at.second.get('other', handle)).sql, sql);
    let kept = 0;
    for (const handle of mine) if ((await at.has(handle)) !== null) kept += 1;
    assert.equal(kept, 8);
  });

  test(`${name}: a statement that nobody uses expires, and use renews it`, async () => {
    await using at = await tableOf({});
    const used = await at.add('used');
    const idle = await at.add('idle');
    at.clock.now += 50_000;
    assert.equal(await at.has(used, at.third), 'used');
    at.clock.now += 30_000;
    assert.deepEqual([await at.has(used, at.second), await at.has(idle)], ['used', null]);
  });

  test(`${name}: bound parameters count, and push older statements out`, async () => {
    await using at = await tableOf({ bytesMax: 1_000 });
    const first = await at.add('one');
    const second = await at.add('two');
    await at.second.bind(await at.second.get(tenant, second), arrow(995));
    assert.deepEqual([await at.has(first), await at.has(second)], [null, 'two']);
    await at.held.bind(await at.held.get(tenant, second), null);
    const third = await at.add('three');
    assert.deepEqual([await at.has(second), await at.has(third)], ['two', 'three']);
  });

  test(`${name}: a statement belongs to its tenant`, async () => {
    await using at = await tableOf({});
    const handle = await at.add('mine');
    await assert.rejects(at.held.get('other', handle), isAbsent);
    await assert.rejects(at.second.get('other', handle), isAbsent);
    await at.held.close('other', handle);
    assert.equal(await at.has(handle), 'mine');
    await at.second.close(tenant, handle);
    assert.equal(await at.has(handle), null);
  });

  test(`${name}: a statement that was closed while it was described or bound stays closed`, async () => {
    await using at = await tableOf({});
    const handle = await at.add('gone');
    const statement = await at.held.get(tenant, handle);
    await at.second.close(tenant, handle);
    await at.held.describe(statement, description);
    await at.held.bind(statement, arrow(1));
    assert.equal(await at.has(handle), null);
    assert.equal(await at.has('never-there'), null);
  });
}
