export type { Batch, Column, DataType, Field, Schema, Table } from '@uwdata/flechette';
export type * from './answers.ts';
export type { CallOptions, PageOptions } from './call-options.ts';
export { batchCellText, cellText } from './cells/cell-text.ts';
export { columnType } from './column-type.ts';
export { FrameholdError } from './errors.ts';
export type {
  ConnectionEvent,
  EventsOptions,
  FrameEvent,
  FrameEventKind,
  FrameholdEvent,
  StatementEvent,
  StreamEvent,
} from './events/events.ts';
export type { Json } from './exact-json.ts';
export type { FollowOptions } from './follow/follow-frame.ts';
export type { FollowedBatch, FollowedText, FollowTextOptions } from './follow/followed-rows.ts';
export type { TagOptions } from './frame-tags.ts';
export { type ExportOptions, Framehold, type RowsOptions, type VocabularyOptions } from './framehold.ts';
export type { Expiry, Frames, ListOptions } from './frames.ts';
export { formatOfName, mediaTypeOf, type UploadFormat } from './media-types.ts';
export type { Queries } from './queries.ts';
export type { HistoryOptions, QueryHistory } from './query-history.ts';
export type { RowBatch } from './row-batch.ts';
export type { Rows } from './rows.ts';
export type { SavedQueries } from './saved-queries.ts';
export type { ExecuteOptions, Into, RowFormat, SqlExportOptions, SqlOptions } from './sql.ts';
export type { Tenants } from './tenants.ts';
export type { ClientOptions } from './transport.ts';
export type { CsvOptions, FormatOptions, PutOptions, UploadBody } from './uploads.ts';
