import assert from 'node:assert/strict';
import type { LiveName, NameRow } from '../../../src/catalog/name-rows.ts';
import type { ObjectRow } from '../../../src/catalog/part-rows.ts';
import type { RecordRow } from '../../../src/catalog/record-rows.ts';
import type { NewestRow } from '../../../src/catalog/rules/commit.ts';
import type { EndedVersion } from '../../../src/catalog/rules/ended-versions.ts';
import type { FoundPart } from '../../../src/catalog/rules/forms.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { plainSchema, start, tenant } from '../change-builder.ts';

/** Rows as catalogs find them, with everything that a test does not care about filled in. */

/** With three versions, the third of which is the newest. */
export function liveName(fields: Partial<LiveName> = {}): LiveName {
  return {
    id: 1,
    tenant,
    name: 'kept',
    frame_id: 'frame-1',
    next_version: 4,
    newest: 3,
    kept: 3,
    expires_at: null,
    ended_reason: null,
    ended_at: null,
    life: 0,
    versions_keep: null,
    ...fields,
  };
}

export function endedName(fields: Partial<NameRow> = {}): NameRow {
  return { ...liveName(), newest: null, kept: 0, ended_reason: 'dropped', ended_at: start - 1, ...fields };
}

/** Expired, and not swept yet. */
export function expiredName(fields: Partial<LiveName> = {}): LiveName {
  return liveName({ expires_at: start, ...fields });
}

export function newestRow(fields: Partial<NewestRow> = {}): NewestRow {
  return {
    log: 2,
    part_count: 5,
    rows: 50,
    bytes: 500,
    hash: plainSchema.hash,
    version_id: 'version-3',
    ...fields,
  };
}

export function recordRow(fields: Partial<RecordRow> = {}): RecordRow {
  return {
    tenant,
    name: 'kept',
    version: 3,
    frame_id: 'frame-1',
    created_at: start,
    expires_at: null,
    rows: 50,
    bytes: 500,
    part_count: 5,
    origin_kind: 'upload',
    origin_format: 'arrow',
    hash: plainSchema.hash,
    origin_query: null,
    restored_from: null,
    life: 0,
    version_id: 'version-3',
    versions_keep: null,
    ...fields,
  };
}

/** Each the only one of its log. */
export function endedVersions(...versions: readonly number[]): EndedVersion[] {
  return versions.map((version) => ({ version, log: version, schema_id: 1 }));
}

export function objectRow(kind: ObjectRow['kind'], key: string, damaged = false): ObjectRow {
  return { kind, key, bytes: 10, sha256: 'sum', damaged };
}

/** With the forms of which it has objects; Parquet is exact. */
export function foundPart(objects: readonly ObjectRow[]): FoundPart {
  const has = (kind: ObjectRow['kind']) => objects.some((object) => object.kind === kind);
  return {
    id: 1,
    part_id: 'part',
    rows: 10,
    arrow_bytes: has('arrow') ? 10 : null,
    parquet_exact: has('parquet') ? 1 : null,
    refusal: null,
    objects,
  };
}

/** What the rule answers, or the kind of its refusal. */
export function outcomeOf<Answer>(rule: () => Answer): Answer | string {
  try {
    return rule();
  } catch (error) {
    assert.ok(error instanceof FrameholdError, `a FrameholdError, not ${error}`);
    return error.kind;
  }
}
