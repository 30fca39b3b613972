import type {
  Column,
  Origin,
  QueryOrigin,
  SchemaRecord,
  TextNotation,
  VersionRecord,
  VersionSummary,
} from '../model/version.ts';
import type { Committed } from '../ports/catalog/versions.ts';
import type { RecordRow } from './record-rows.ts';
import type { WireCommitted } from './wire.ts';

/** Records as callers get them, from those in tables. */

export function replayed({ record, created, added }: WireCommitted, columns: string): Committed {
  const schema = { columns: JSON.parse(columns) as Column[] };
  const answer = { record: { ...summaryOf(record), schema }, created, replayed: true, expired: null };
  return added === undefined ? answer : { ...answer, added };
}

export function withSchema(row: RecordRow, schema: SchemaRecord): VersionRecord {
  return { ...summaryOf(row), schema };
}

export function summaryOf(row: RecordRow): VersionSummary {
  const { restored_from: from, versions_keep: versionsKeep, life } = row;
  return {
    tenant: row.tenant,
    name: row.name,
    version: row.version,
    versionId: row.version_id,
    frameId: row.frame_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    rows: row.rows,
    bytes: row.bytes,
    partCount: row.part_count,
    origin: {
      kind: row.origin_kind,
      ...(from === null ? {} : { from }),
      format: row.origin_format,
      ...originDetails(row),
    },
    ...(life === 0 ? {} : { incarnation: life }),
    ...(versionsKeep === null ? {} : { versionsKeep }),
  };
}

/** A column for two things, of which a version has one: it was made by a statement, or read from text. */
function originDetails({ origin_query: json }: RecordRow): Pick<Origin, 'query' | 'text'> {
  if (json === null) return {};
  const details = JSON.parse(json) as QueryOrigin | TextNotation;
  return 'sources' in details ? { query: details } : { text: details };
}
