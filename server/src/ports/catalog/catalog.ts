import type { EventCatalog } from './events.ts';
import type { FileCatalog } from './files.ts';
import type { IntegrityCatalog } from './integrity.ts';
import type { LeaseCatalog } from './leases.ts';
import type { MaintenanceCatalog } from './maintenance.ts';
import type { NoteCatalog } from './notes.ts';
import type { PinCatalog } from './pins.ts';
import type { QueryCatalog } from './queries.ts';
import type { RelationOidCatalog } from './relation-oids.ts';
import type { SharingCatalog } from './sharing.ts';
import type { StatisticsCatalog } from './statistics.ts';
import type { TagCatalog } from './tags.ts';
import type { VersionCatalog } from './versions.ts';

/**
 * Names, versions, parts. Every change is one transaction, durable when its promise resolves. If it rejects, nothing was changed, unless
 * the kind is outcome_unknown: then the change may have been made. The same change may be repeated for a day: one with an attempt id (a
 * commit's is the id of its part) takes effect once and answers as the first time, and the others are safe to repeat.
 * Refusals are FrameholdErrors: frame_not_found, frame_gone, frame_exists, version_mismatch, name_conflict,
 * schema_conflict (the newest schema is not the one the caller compared with), idempotency_conflict.
 * `now` is milliseconds since 1970, always given by the caller.
 */
export interface Catalog
  extends VersionCatalog,
    SharingCatalog,
    PinCatalog,
    TagCatalog,
    NoteCatalog,
    StatisticsCatalog,
    FileCatalog,
    MaintenanceCatalog,
    LeaseCatalog,
    EventCatalog,
    QueryCatalog,
    RelationOidCatalog,
    IntegrityCatalog {
  /** Resolves when the catalog can answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
