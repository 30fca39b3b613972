/** Presents several Parquet files as one: their row groups as they are, with one footer behind them. Nothing is decoded. */
export interface ParquetJoiner {
  /**
   * What is needed of each file to join it with others; null for one that does not hold exactly this schema, or cannot be moved. Without a schema the files are exports, which
   * may have other types than their frame: values for run ends, texts for views.
   */
  examine(
    paths: readonly string[],
    schemaMessage: Uint8Array | null,
    signal: AbortSignal,
  ): Promise<readonly (JoinableFile | null)[]>;
  /**
   * What follows the row groups, which end at `dataEnd`, in the file that these make together: indexes of pages and a footer. They must have the same description. The same files
   * always give the same bytes.
   */
  end(
    files: readonly PlacedFile[],
    dataEnd: number,
    rows: number,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
}

export interface JoinableFile {
  /** Row groups end here; they begin after the first four bytes. */
  readonly dataEnd: number;
  readonly rows: number;
  readonly groups: number;
  /** Where each column chunk begins, and how many bytes it has: row group by row group. */
  readonly chunks: Float64Array;
  /** Its footer and its page indexes. */
  readonly besideBytes: number;
  /** Only files with the same one can be joined. */
  readonly description: string;
}

export interface PlacedFile {
  readonly path: string;
  readonly dataEnd: number;
  /** Where its column chunks begin in the joined file, in the order of `JoinableFile.chunks`. */
  readonly starts: Float64Array;
}
