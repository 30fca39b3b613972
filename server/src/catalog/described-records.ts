import type { Committed } from '../frames/ports/catalog/versions.ts';
import type {
  Column,
  Origin,
  QueryOrigin,
  SchemaRecord,
  TextNotation,
  VersionRecord,
  VersionSummary,
} from '../frames/version.ts';
import {
  lifeOf,
  originQueryOf,
  restoredFromOf,
  versionIdOf,
  versionsKeepOf,
  type WireCommitted,
  type WireRecord,
} from './wire.ts';

/** Records as callers get them, from those in tables. */

export function replayed({ record, created, added }: WireCommitted, columns: string): Committed {
  const schema = { columns: JSON.parse(columns) as Column[] };
  const answer = { record: { ...summaryOf(record), schema }, created, replayed: true, expired: null };
  return added === undefined ? answer : { ...answer, added };
}

export function withSchema(wire: WireRecord, schema: SchemaRecord): VersionRecord {
  return { ...summaryOf(wire), schema };
}

export function summaryOf(wire: WireRecord): VersionSummary {
  const [tenant, name, version, frameId, createdAt, expiresAt, rows, bytes, partCount, kind, format] = wire;
  const from = restoredFromOf(wire);
  const life = lifeOf(wire);
  const origin: Origin = { kind, ...(from === null ? {} : { from }), format, ...originDetails(wire) };
  const versionId = versionIdOf(wire);
  const summary = {
    tenant,
    name,
    version,
    versionId,
    frameId,
    createdAt,
    expiresAt,
    rows,
    bytes,
    partCount,
    origin,
  };
  const versionsKeep = versionsKeepOf(wire);
  return {
    ...summary,
    ...(life === 0 ? {} : { life }),
    ...(versionsKeep === null ? {} : { versionsKeep }),
  };
}

/** A column for two things, of which a version has one: it was made by a statement, or read from text. */
function originDetails(wire: WireRecord): Pick<Origin, 'query' | 'text'> {
  const json = originQueryOf(wire);
  if (json === null) return {};
  const details = JSON.parse(json) as QueryOrigin | TextNotation;
  return 'sources' in details ? { query: details } : { text: details };
}
