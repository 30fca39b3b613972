import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  droppedEvent,
  expiredEvent,
  type NewEvent,
  recordEvent,
  settingEvents,
  sharesEvent,
  transcodedEvent,
  versionDroppedEvent,
} from '../../../src/catalog/rules/events.ts';
import { start, tenant } from '../change-builder.ts';
import { expiredName, liveName, recordRow } from './rows.ts';

const size = { version: 3, rows: 50, bytes: 500 };
const newest = { name: 'kept', ...size };
const origin = { kind: 'upload', format: 'arrow' };
const row = recordRow();

const cases: readonly [what: string, NewEvent, kind: string, frame: object][] = [
  ['a record', recordEvent('frame.created', row), 'frame.created', { ...newest, expiresAt: null, origin }],
  [
    'a restored record',
    recordEvent(
      'frame.restored',
      recordRow({ origin_kind: 'restored', restored_from: 1, expires_at: start }),
    ),
    'frame.restored',
    { ...newest, expiresAt: start, origin: { kind: 'restored', format: 'arrow', from: 1 } },
  ],
  ['other shares', sharesEvent(liveName()), 'frame.changed', { name: 'kept', version: 3, change: 'shares' }],
  ['a drop', droppedEvent(liveName()), 'frame.dropped', { name: 'kept', version: 3 }],
  [
    'a version that was dropped',
    versionDroppedEvent(liveName({ expires_at: start }), 2, size),
    'frame.changed',
    { ...newest, expiresAt: start, change: 'version', dropped: 2 },
  ],
  ['an expiry', expiredEvent(expiredName()), 'frame.expired', { name: 'kept', version: 3, expiresAt: start }],
  [
    'a frame that is transcoded',
    transcodedEvent({ ...newest, tenant, expires_at: null }),
    'frame.settled',
    { ...newest, expiresAt: null },
  ],
];

for (const [what, event, kind, frame] of cases)
  test(`the event of ${what}`, () => {
    // As text: clients see it in this order.
    assert.equal(JSON.stringify(event), JSON.stringify({ tenant, kind, frame }));
  });

test('a setting that was set to what it was is no event', () => {
  assert.deepEqual(settingEvents('expiry', [start, start], [row]), []);
  for (const change of ['expiry', 'versionsKeep'] as const)
    assert.deepEqual(settingEvents(change, [null, 5], [row]), [
      recordEvent('frame.changed', row, { change }),
    ]);
});
