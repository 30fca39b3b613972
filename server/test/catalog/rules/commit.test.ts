import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordRow } from '../../../src/catalog/record-rows.ts';
import { type FoundForCommit, nextVersion, readsNewest } from '../../../src/catalog/rules/commit.ts';
import type { WireCommit } from '../../../src/catalog/wire.ts';
import { change, parquetPartOf, partOf, plainSchema, start, tenant } from '../change-builder.ts';
import { endedName, expiredName, liveName, newestRow, outcomeOf } from './rows.ts';

const nothing: FoundForCommit = { name: undefined, newest: null };
const live: FoundForCommit = { name: liveName(), newest: newestRow() };
const ended: FoundForCommit = { name: endedName(), newest: null };
const expired: FoundForCommit = { name: expiredName(), newest: newestRow() };

function wire(mode: WireCommit['mode'], fields: Partial<WireCommit> = {}): WireCommit {
  const schema = { ...plainSchema, columns: JSON.stringify(plainSchema.columns) };
  return { ...change('kept', mode), schema, ...fields };
}

function commit(made: WireCommit, found: FoundForCommit) {
  const ids = ['id-1', 'id-2'].values();
  return nextVersion(made, found, () => ids.next().value ?? 'one too many');
}

const refusals: readonly [what: string, WireCommit, FoundForCommit, kind: string][] = [
  ['a create of a live name', wire('create'), live, 'frame_exists'],
  ['a create beside another spelling', wire('create', { name: 'Kept' }), live, 'name_conflict'],
  ['a replace of another spelling', wire('replace', { name: 'Kept' }), live, 'name_conflict'],
  ['an append to no name', wire('append'), nothing, 'frame_not_found'],
  ['an append to a dropped name', wire('append'), ended, 'frame_gone'],
  ['an append to an expired name', wire('append'), expired, 'frame_gone'],
  ['an append to other columns', wire('append', { baseSchemaHash: 'other' }), live, 'schema_conflict'],
  ['another newest version', wire('replace', { ifVersion: { version: 2 } }), live, 'version_mismatch'],
  ['a version of no name', wire('replace', { ifVersion: { version: 3 } }), nothing, 'version_mismatch'],
  [
    'a version of an expired name',
    wire('replace', { ifVersion: { version: 3 } }),
    expired,
    'version_mismatch',
  ],
  [
    'another version with the same number',
    wire('replace', { ifVersion: { version: 3, versionId: 'other' } }),
    live,
    'version_mismatch',
  ],
];

for (const [what, made, found, kind] of refusals)
  test(`a commit is refused: ${what}`, () => {
    assert.equal(
      outcomeOf(() => commit(made, found)),
      kind,
    );
  });

interface Next {
  readonly record: Partial<RecordRow>;
  readonly log: number;
  readonly seq: number;
  readonly event: string;
  readonly created: boolean;
  readonly expired: string | null;
}

const first = { record: { version: 1, frame_id: 'id-1', version_id: 'id-2' }, log: 1, seq: 0 };
const afterEnd = { record: { version: 4, frame_id: 'frame-1', version_id: 'id-1' }, log: 4, seq: 0 };
const made = { event: 'frame.created', created: true, expired: null };
const replaced = { ...afterEnd, event: 'frame.replaced', created: false, expired: null };
const appended = {
  record: { version: 4, frame_id: 'frame-1', rows: 60, bytes: 600, part_count: 6, version_id: 'id-1' },
  log: 2,
  seq: 5,
  event: 'frame.appended',
  created: false,
  expired: null,
};
const query = { text: 'SELECT 1', sources: [] };
const hour = 3_600_000;
const later = start + hour;
const liveUntil = (expires_at: number) => ({ ...live, name: liveName({ expires_at }) });

const accepted: readonly [what: string, WireCommit, FoundForCommit, Next][] = [
  ['a create of a new name', wire('create'), nothing, { ...first, ...made }],
  ['a replace of a new name', wire('replace'), nothing, { ...first, ...made }],
  ['a create of a dropped name', wire('create'), ended, { ...afterEnd, ...made }],
  ['a create of an expired name', wire('create'), expired, { ...afterEnd, ...made, expired: 'kept' }],
  ['a dropped name in another spelling', wire('create', { name: 'Kept' }), ended, { ...afterEnd, ...made }],
  ['a replace', wire('replace'), live, replaced],
  ['the newest version as expected', wire('replace', { ifVersion: { version: 3 } }), live, replaced],
  [
    'that very version as expected',
    wire('replace', { ifVersion: { version: 3, versionId: 'version-3' } }),
    live,
    replaced,
  ],
  ['an append', wire('append'), live, appended],
  [
    'an append, which leaves the expiry as it is',
    wire('append', { expiresAt: null }),
    liveUntil(later),
    { ...appended, record: { ...appended.record, expires_at: later } },
  ],
  [
    'a replace that says nothing of the expiry',
    wire('replace'),
    liveUntil(later),
    { ...replaced, record: { ...replaced.record, expires_at: later } },
  ],
  [
    'a replace that clears the expiry',
    wire('replace', { expiresAt: null }),
    liveUntil(later),
    { ...replaced, record: { ...replaced.record, expires_at: null } },
  ],
  [
    'a create that sets the expiry',
    wire('create', { expiresAt: later }),
    nothing,
    { ...first, ...made, record: { ...first.record, expires_at: later } },
  ],
  [
    'a name with a setting and an earlier life',
    wire('replace'),
    { ...live, name: liveName({ versions_keep: 7, life: 2 }) },
    { ...replaced, record: { ...replaced.record, versions_keep: 7, life: 2 } },
  ],
  [
    'an expired name, whose setting ends with it',
    wire('replace'),
    { ...expired, name: expiredName({ versions_keep: 7, life: 2 }) },
    { ...afterEnd, ...made, expired: 'kept', record: { ...afterEnd.record, versions_keep: null, life: 2 } },
  ],
  [
    'the result of a query',
    wire('replace', { origin: { kind: 'query', format: 'sql', query } }),
    live,
    { ...replaced, record: { ...replaced.record, origin_query: JSON.stringify(query) } },
  ],
];

for (const [what, change_, found, next] of accepted)
  test(`a commit makes the next version: ${what}`, () => {
    const { committed, place, event, expired: ends } = commit(change_, found);
    const kind = next.event === 'frame.appended' ? 'append' : change_.origin.kind;
    const record: RecordRow = {
      tenant,
      name: change_.name,
      version: 1,
      frame_id: '',
      created_at: start,
      expires_at: null,
      rows: 10,
      bytes: 100,
      part_count: 1,
      origin_kind: kind,
      origin_format: change_.origin.format,
      hash: plainSchema.hash,
      origin_query: null,
      restored_from: null,
      life: 0,
      version_id: '',
      versions_keep: null,
      ...next.record,
    };
    const { created, expired: expiredNow } = next;
    assert.deepEqual(committed, { record, created, added: 10, replayedColumns: null, expired: expiredNow });
    assert.equal(place.firstRow, record.rows - 10);
    assert.equal(ends, expiredNow === null ? null : found.name);
    assert.deepEqual(
      [place.log, place.seq, event.kind, event.frame.version],
      [next.log, next.seq, next.event, record.version],
    );
  });

test('a part that came as Parquet is transcoded', () => {
  for (const [part, isTranscoded] of [
    [partOf(), false],
    [parquetPartOf(), true],
  ] as const)
    assert.equal(commit(wire('create', { part }), nothing).isTranscoded, isTranscoded);
});

test('only an append and a change that expects a version read the newest one', () => {
  for (const [made_, reads] of [
    [wire('create'), false],
    [wire('replace'), false],
    [wire('append'), true],
    [wire('replace', { ifVersion: { version: 1 } }), true],
  ] as const)
    assert.equal(readsNewest(made_), reads);
});
