import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { CachedLimits } from '../../src/auth/cached-limits.ts';
import { CredentialStore } from '../../src/auth/credential-store.ts';
import { eventually } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('limits are kept, and changes by another process are noticed and reported', async () => {
  const path = join(temporaryFolder('limits'), 'credentials.sqlite');
  using stack = new DisposableStack();
  const open = () => stack.adopt(CredentialStore.open(path), (store) => store.close());
  const told: unknown[] = [];
  const known = await CachedLimits.open(open(), (...change) => void told.push(change));
  assert.deepEqual(known.of('a'), {});
  assert.deepEqual(await known.set('a', { bytesMax: 5, queriesMax: 2 }), { bytesMax: 5, queriesMax: 2 });
  assert.deepEqual(await known.set('a', { queriesMax: null }), { bytesMax: 5 });
  const other = open();
  other.limits.set('b', { framesMax: 1 });
  other.limits.set('a', { bytesMax: null });
  await eventually('the changes are noticed', () => known.of('b').framesMax === 1);
  assert.deepEqual([known.of('a'), known.of('b')], [{}, { framesMax: 1 }]);
  assert.deepEqual(told, [
    ['a', { bytesMax: null }],
    ['b', { framesMax: 1 }],
  ]);
  const later = await CachedLimits.open(open(), () => assert.fail('nothing has changed since'));
  assert.deepEqual(later.of('b'), { framesMax: 1 });
});
