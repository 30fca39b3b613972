import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameDrop, nameExpiry } from '../../../src/catalog/rules/drop.ts';
import { dropOf, start, tenant } from '../change-builder.ts';
import { expiredName, liveName } from './rows.ts';

const hour = 3_600_000;
const expiresSoon = liveName({ expires_at: start + 10 });
const lastVersion = liveName({ kept: 1 });
const event = { tenant, kind: 'frame.dropped', frame: { name: 'kept', version: 3 } };

const cases = [
  ['a name', null, 0, liveName(), { keptUntil: null, event }],
  ['a name that can come back', null, hour, liveName(), { keptUntil: start + hour, event }],
  ['a name that expires before', null, hour, expiresSoon, { keptUntil: start + 10, event }],
  ['a name that expires after', null, 5, expiresSoon, { keptUntil: start + 5, event }],
  ['the last version', 3, hour, lastVersion, { keptUntil: start + hour, event }],
  ['one version of several', 2, hour, liveName(), null],
] as const;

for (const [what, version, undropMs, name, drop] of cases)
  test(`a drop of ${what}`, () => {
    assert.deepEqual(nameDrop(dropOf(tenant, 'kept', version, null, start, undropMs), name), drop);
  });

test('a name ends as of its expiry, whenever that is noticed', () => {
  const frame = { name: 'kept', version: 3, expiresAt: start };
  const ended = { endedAt: start, event: { tenant, kind: 'frame.expired', frame } };
  assert.deepEqual(nameExpiry(expiredName(), start + hour), ended);
});
