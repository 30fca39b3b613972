import type { Origin } from '../model/version.ts';

/** A version with what its name says of it, by the columns of both tables. */
export interface RecordRow {
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
  readonly frame_id: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly rows: number;
  readonly bytes: number;
  readonly part_count: number;
  readonly origin_kind: Origin['kind'];
  readonly origin_format: string;
  readonly hash: string;
  /** As JSON: the query, or how a text was read. */
  readonly origin_query: string | null;
  readonly restored_from: number | null;
  readonly life: number;
  readonly version_id: string;
  readonly versions_keep: number | null;
}
