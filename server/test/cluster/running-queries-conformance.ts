import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, openCaller } from '../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../src/model/errors.ts';
import { noTenant } from '../../src/model/tenant.ts';
import type { RunningQueries } from '../../src/ports/running-queries.ts';
import { eventually } from '../support/patience.ts';

/** The statements under way as several processes see them, through a view each. */
export interface QueryPlaces extends AsyncDisposable {
  readonly views: readonly [RunningQueries, RunningQueries, RunningQueries];
}

const callerOf = (tenant: string): Caller => ({ ...openCaller, tenant });
const a = callerOf('a');
const b = callerOf('b');
const operator: Caller = { ...openCaller, tenant: noTenant, scopes: new Set(['operator']) };
const chosen = (text: string) => ({ text, isOptional: false });
const isKind = (kind: ErrorKind) => (error: unknown) =>
  error instanceof FrameholdError && error.kind === kind;

/** What every implementation of the port must do. Others may see a statement a moment late. */
export function runningQueriesConformance(name: string, open: () => Promise<QueryPlaces>): void {
  const stopped = async (...[view, ...which]: [RunningQueries, ...Parameters<RunningQueries['cancel']>]) => {
    const { tenant, id } = await view.cancel(...which);
    return `${tenant}/${id}`;
  };
  const idsFor = async (view: RunningQueries, caller: Caller) =>
    (await view.list(caller)).map(({ tenant, id }) => `${tenant}/${id}`);

  test(`${name}: every process lists the statements of a tenant in order, and an operator sees all without their text`, async () => {
    await using at = await open();
    const [one, two, three] = at.views;
    const { startedAt } = one.begin(a, 'select 1', chosen('first'));
    await eventually('a later millisecond, for their order', () => Date.now() > startedAt);
    const second = two.begin(a, 'select 2', chosen('second'), 'spark');
    const other = two.begin(b, 'select 3', chosen('other'));
    second.state = 'running';
    second.rows = 7;
    second.progress = () => 0.5;
    for (const view of at.views) {
      await eventually('the tenant sees both', async () => (await idsFor(view, a)).length === 2);
      assert.deepEqual(await idsFor(view, a), ['a/first', 'a/second']);
      await eventually('it sees how far they are', async () => {
        const [, state] = await view.list(a);
        return state?.state === 'running' && state.progress === 0.5 && state.content?.rows === 7;
      });
      assert.deepEqual(await idsFor(view, b), ['b/other']);
      const all = await view.list(operator);
      assert.deepEqual(
        all.map(({ content }) => content),
        [null, null, null],
      );
      const state = await view.state(a, 'second', undefined);
      assert.deepEqual(
        state.state === 'failed' ? null : [state.content?.sql, state.startedAt, state.tenant, state.engine],
        ['select 2', second.startedAt, 'a', 'spark'],
      );
      assert.equal((await view.list(a))[0]?.engine, 'duckdb');
    }
    // In one process there is no elsewhere.
    const others = [
      ['a', 2],
      ['b', 1],
    ];
    assert.deepEqual([...(await three.countElsewhere())].sort(), three === one ? [] : others);
    assert.deepEqual(two.occupancy('spark'), { running: 1, waiting: 0 });
    assert.deepEqual(two.occupancy('duckdb'), { running: 0, waiting: two === one ? 2 : 1 });
    two.end(second, 'ok');
    two.end(other, 'cancelled');
    for (const view of [one, three]) {
      await eventually('it has ended', async () => (await idsFor(view, operator)).join() === 'a/first');
      await assert.rejects(view.state(a, 'second', undefined), isKind('query_not_found'));
      await assert.rejects(view.state(b, 'other', undefined), isKind('query_not_found'));
    }
    assert.deepEqual([one.occupancy('duckdb').waiting, two.occupancy('spark').running], [1, 0]);
  });

  test(`${name}: any process cancels a statement, also right after it began`, async () => {
    await using at = await open();
    const [one, two, three] = at.views;
    const query = one.begin(a, 'select 1', chosen('x'));
    assert.equal(await stopped(three, a, 'x', undefined), 'a/x');
    await eventually('it is stopped', () => query.cancelled.aborted);
    assert.ok(isKind('query_cancelled')(query.cancelled.reason));
    one.end(query, query.cancelled.reason as FrameholdError);
    await eventually('its end is known', async () => (await two.state(a, 'x', undefined)).state === 'failed');
    await assert.rejects(two.cancel(a, 'x', undefined), isKind('query_not_found'));
    await assert.rejects(two.cancel(a, 'never', undefined), isKind('query_not_found'));
  });

  test(`${name}: a statement with the id of one that was cancelled is another one`, async () => {
    await using at = await open();
    const [one, two] = at.views;
    const first = one.begin(a, 'select 1', chosen('again'));
    await two.cancel(a, 'again', undefined);
    await eventually('it is stopped', () => first.cancelled.aborted);
    one.end(first, 'cancelled');
    const second = one.begin(a, 'select 2', chosen('again'));
    await eventually('the second is seen', async () => {
      const [state] = await two.list(a);
      return state?.content?.sql === 'select 2';
    });
    // The look at which this one is stopped is a look at all statements of the process.
    const third = one.begin(a, 'select 3', chosen('third'));
    await two.cancel(a, 'third', undefined);
    await eventually('a later one is stopped', () => third.cancelled.aborted);
    assert.equal(second.cancelled.aborted, false);
  });

  test(`${name}: tenants neither see nor stop each other, and an operator says whose if several have an id`, async () => {
    await using at = await open();
    const [one, two, three] = at.views;
    const ofA = one.begin(a, 'select 1', chosen('same'));
    const ofB = two.begin(b, 'select 2', chosen('same'));
    const only = one.begin(a, 'select 3', chosen('only'));
    await eventually('all are seen', async () => (await three.list(operator)).length === 3);
    await assert.rejects(three.cancel(b, 'only', undefined), isKind('query_not_found'));
    await assert.rejects(three.state(b, 'only', undefined), isKind('query_not_found'));
    for (const view of [one, three]) {
      await assert.rejects(view.cancel(operator, 'same', undefined), isKind('bad_request'));
      await assert.rejects(view.state(operator, 'same', undefined), isKind('bad_request'));
      assert.equal((await view.state(operator, 'same', 'b')).content, null);
    }
    assert.equal(await stopped(three, operator, 'same', 'b'), 'b/same');
    assert.equal(await stopped(three, operator, 'only', undefined), 'a/only');
    await eventually('both are stopped', () => ofB.cancelled.aborted && only.cancelled.aborted);
    assert.equal(ofA.cancelled.aborted, false);
  });

  test(`${name}: why a statement failed is known everywhere, to its tenant in full, and only the last time`, async () => {
    await using at = await open();
    const [one, two, three] = at.views;
    const error = new FrameholdError('sql_invalid', 'No such column\0.', {
      hint: 'Look.',
      place: { position: 7, line: 1, column: 8 },
    });
    const query = one.begin(a, 'select x', chosen('bad'));
    query.rows = 3;
    one.end(query, error);
    for (const view of [one, two, three]) {
      const state = await view.state(a, 'bad', undefined);
      assert(state.state === 'failed');
      assert.deepEqual([state.kind, state.startedAt, state.tenant], ['sql_invalid', query.startedAt, 'a']);
      assert.match(state.content?.detail ?? '', /^No such column/);
      assert.deepEqual(
        [state.content?.rows, state.content?.hint, state.content?.place],
        [3, 'Look.', { position: 7, line: 1, column: 8 }],
      );
      const forOperator = await view.state(operator, 'bad', undefined);
      assert.deepEqual([forOperator.state, forOperator.content], ['failed', null]);
      await assert.rejects(view.state(b, 'bad', undefined), isKind('query_not_found'));
    }
    one.end(one.begin(a, 'select y', chosen('bad')), new FrameholdError('sql_failed', 'Later.'));
    await eventually('the later one is known', async () => {
      const state = await three.state(a, 'bad', undefined);
      return state.state === 'failed' && state.kind === 'sql_failed' && state.content?.place === undefined;
    });
    const left = one.begin(a, 'select z', chosen('left'));
    one.end(left, new FrameholdError('cancelled', 'The caller has left.'));
    await assert.rejects(two.state(a, 'left', undefined), isKind('query_not_found'));
  });

  test(`${name}: an id is usable, and not in use in the same process`, async () => {
    await using at = await open();
    const [one] = at.views;
    one.begin(a, 'select 1', chosen('x'));
    assert.throws(() => one.begin(a, 'select 2', chosen('x')), isKind('bad_request'));
    assert.throws(() => one.begin(a, 'select 2', chosen('with space')), isKind('bad_request'));
    assert.match(one.begin(a, 'select 2', { text: 'x', isOptional: true }).id, /^q_/);
    assert.equal(one.begin(b, 'select 2', chosen('x')).id, 'x');
    assert.match(one.begin(a, 'select 3', null).id, /^q_/);
    assert.equal(one.occupancy('duckdb').waiting, 4);
  });
}
