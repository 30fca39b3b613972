import type { Column } from '../../model/version.ts';
import type { PlacedFile } from '../../ports/parquet-joiner.ts';
import type { PartSource } from '../../ports/reading.ts';
import type { RowShape, StreamOptions } from '../../ports/renderer.ts';
import type { SeekPoint } from '../positions/arrow-positions.ts';

/** The files of a part, and where in the first of them to begin. */
export interface SoughtSource extends PartSource {
  /** Only for Arrow: at or before the first row wanted. */
  readonly seek?: SeekPoint;
}

/** A reading as it goes to a worker. */
export interface RowsJob {
  readonly sources: readonly SoughtSource[];
  /** The version's schema, all its columns. */
  readonly schemaMessage: Uint8Array;
  /** Indices of the columns wanted, in order; null for all. */
  readonly columns: readonly number[] | null;
  readonly offset: number;
  readonly rowCount: number;
}

export interface RenderJob extends RowsJob {
  readonly options: RowShape;
  /** The schema of the columns wanted. */
  readonly chosenSchemaMessage: Uint8Array;
  /** Of the columns wanted. */
  readonly columnNames: readonly Column[];
}

/** Rows that come in while they are rendered. */
export interface StreamJob {
  readonly schemaMessage: Uint8Array;
  readonly columnNames: readonly Column[];
  readonly options: StreamOptions;
}

/** Parquet files that may have row groups of one schema; null: they are exports, which may have other types than the frame. */
export interface SameSchemaJob {
  readonly paths: readonly string[];
  readonly schemaMessage: Uint8Array | null;
}

/** Parquet files that become one. */
export interface JoinJob {
  readonly files: readonly PlacedFile[];
  readonly dataEnd: number;
  readonly rows: number;
}
