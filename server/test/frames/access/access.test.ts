import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Action,
  actions,
  type Decision,
  decide,
  type Target,
} from '../../../src/frames/access/access.ts';
import type { Identity } from '../../../src/model/caller.ts';
import { type Scope, scopes, withIncluded } from '../../../src/model/scope.ts';
import { noTenant } from '../../../src/model/tenant.ts';

/**
 * The table once more, written down by hand: what each kind of caller may do with its own frames. A change of the access rules has to
 * be made twice, on purpose.
 */
const readers = ['read', 'write', 'admin'] as const;
const writers = ['write', 'admin'] as const;
const expectedCallers: Readonly<Record<Action, readonly (Scope | 'none')[]>> = {
  'frame.read': readers,
  'frame.describe': readers,
  'frame.statistics': readers,
  'frame.diff': readers,
  'frame.list': readers,
  'frame.versions': readers,
  'frame.shares': readers,
  'frame.shared-with-me': readers,
  'frame.links': readers,
  'frame.tags': readers,
  'frame.notes': readers,
  'frame.put': writers,
  'frame.append': writers,
  'frame.inspect': writers,
  'frame.drop': writers,
  'frame.undrop': writers,
  'frame.restore': writers,
  'frame.expire': writers,
  'frame.keep': writers,
  'frame.share': writers,
  'frame.unshare': writers,
  'frame.link': writers,
  'frame.unlink': writers,
  'frame.tag': writers,
  'frame.untag': writers,
  'frame.note': writers,
  'sql.query': readers,
  'sql.explain': readers,
  'function.list': readers,
  'sql.create': writers,
  'sql.insert': writers,
  'sql.drop': writers,
  'sql.comment': writers,
  'query.list': [...readers, 'operator'],
  'query.cancel': [...readers, 'operator'],
  'events.read': readers,
  'saved.list': readers,
  'saved.save': writers,
  'saved.remove': writers,
  'history.list': readers,
  'history.clear': readers,
  'tsdb.query': ['tsdb', 'admin'],
  'metrics.read': ['metrics', 'admin', 'operator'],
  'tenant.usage': readers,
  'tenant.list': ['operator'],
  'tenant.show': ['operator'],
  'tenant.set': ['operator'],
  'server.describe': ['none', ...scopes],
  'server.status': ['none', ...scopes],
};
const throughShare: readonly Action[] = [
  'frame.read',
  'frame.describe',
  'frame.statistics',
  'frame.diff',
  'frame.tags',
  'frame.notes',
];
const throughLink: readonly Action[] = ['frame.read', 'frame.describe', 'frame.statistics'];

const link = { name: 'trades', version: 3 };

function callerOf(scope: Scope | 'none' | 'link'): Identity {
  const given = scope === 'none' || scope === 'link' ? [] : [scope];
  const opened = scope === 'link' ? link : null;
  return { tenant: 'a', name: scope, scopes: withIncluded(given), link: opened, isCurrent: () => true };
}

const target = (changes: Partial<Target>): Target => ({
  tenant: 'a',
  name: 'trades',
  version: 3,
  isShared: false,
  ...changes,
});
/** What is asked about: nothing in particular, and frames of all sorts. */
const targets: Readonly<Record<string, Target | null>> = {
  'no frame': null,
  'an own version': target({}),
  'an own name': target({ version: null }),
  'another own version': target({ version: 4 }),
  'another own frame': target({ name: 'orders' }),
  'a frame of another tenant': target({ tenant: 'b' }),
  'a frame that another tenant shares': target({ tenant: 'b', isShared: true }),
};

function expected(
  scope: Scope | 'none' | 'link',
  action: Action,
  asked: Target | null,
): Decision['allowed'] | string {
  if (scope === 'link')
    return throughLink.includes(action) &&
      asked?.tenant === 'a' &&
      asked.name === 'trades' &&
      asked.version === 3
      ? true
      : 'access_denied';
  if (!expectedCallers[action].includes(scope)) return 'access_denied';
  if (asked === null || asked.tenant === 'a') return true;
  if (!asked.isShared) return 'frame_not_found';
  return throughShare.includes(action) ? true : 'access_denied';
}

let cells = 0;
for (const action of Object.keys(actions) as Action[]) {
  test(`${action}: every kind of caller, every kind of frame`, () => {
    for (const scope of ['none', ...scopes, 'link'] as const) {
      for (const [what, asked] of Object.entries(targets)) {
        const decision = decide(callerOf(scope), action, asked);
        const got = decision.allowed ? true : decision.kind;
        assert.equal(got, expected(scope, action, asked), `${scope}, ${action}, ${what}`);
        cells += 1;
      }
    }
  });
}

test('the matrix has more than 500 cells, and every action is in it', () => {
  assert.deepEqual(Object.keys(expectedCallers).sort(), Object.keys(actions).sort());
  assert.equal(cells, Object.keys(actions).length * 8 * 7);
  assert.ok(cells > 500, String(cells));
});

test('scopes together give what each of them gives, and nothing more', () => {
  const both: Identity = {
    tenant: 'a',
    name: 'x',
    scopes: withIncluded(['read', 'tsdb']),
    link: null,
    isCurrent: () => true,
  };
  for (const action of Object.keys(actions) as Action[]) {
    const either = (['read', 'tsdb'] as const).some((scope) => decide(callerOf(scope), action, null).allowed);
    assert.equal(decide(both, action, null).allowed, either, action);
  }
});

test('a link gives nothing more if its holder pretends to have scopes', () => {
  const pretending: Identity = { ...callerOf('link'), scopes: withIncluded(scopes) };
  assert.equal(decide(pretending, 'frame.drop', target({})).allowed, false);
  assert.equal(decide(pretending, 'frame.list', null).allowed, false);
  assert.equal(decide(pretending, 'sql.query', null).allowed, false);
});

test('an operator can do nothing with any frame, and the administrator of a tenant is no operator', () => {
  const operator: Identity = { ...callerOf('operator'), tenant: noTenant };
  const frameActions = (Object.keys(actions) as Action[]).filter((action) =>
    /^(frame|sql|tsdb)\./.test(action),
  );
  assert.ok(frameActions.length > 15);
  for (const action of frameActions)
    for (const [what, asked] of Object.entries(targets))
      assert.equal(decide(operator, action, asked).allowed, false, `${action}, ${what}`);
  assert.equal(withIncluded(['admin']).has('operator'), false);
});
