import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireNotLive, undropOf } from '../../../src/catalog/rules/undrop.ts';
import { start } from '../change-builder.ts';
import { endedName, expiredName, liveName, outcomeOf } from './rows.ts';

const dropped = { id: 5, name_id: 1, name: 'kept', expires_at: null, versions_keep: null };
const ended = endedName();
const expired = expiredName();

for (const [what, row, name, outcome] of [
  ['no name', undefined, 'kept', 'frame_not_found'],
  ['a live name', liveName(), 'kept', 'name_in_use'],
  ['a live name in another spelling', liveName(), 'Kept', 'name_conflict'],
  ['an ended name', ended, 'kept', ended],
  ['an ended name in another spelling', ended, 'Kept', ended],
  ['an expired name', expired, 'kept', expired],
] as const)
  test(`an undrop finds ${what}`, () => {
    assert.deepEqual(
      outcomeOf(() => requireNotLive(row, name, start)),
      outcome,
    );
  });

for (const [what, row, name, kept, outcome] of [
  ['what was dropped', ended, 'kept', dropped, { dropped, expired: null }],
  ['what was dropped before a frame that expired', expired, 'kept', dropped, { dropped, expired }],
  ['nothing that is kept', ended, 'kept', undefined, 'frame_gone'],
  ['nothing under this spelling', ended, 'Kept', undefined, 'frame_not_found'],
] as const)
  test(`an undrop brings back ${what}`, () => {
    assert.deepEqual(
      outcomeOf(() => undropOf(row, name, kept, start)),
      outcome,
    );
  });
