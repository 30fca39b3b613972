import type { EngineTable } from '../../../../server/src/ports/engine.ts';
import { readTable } from './read-table.ts';

/**
 * Settings of a session on which the views of tables and the files of results depend. An application may have other defaults; with those, values would be
 * changed, or rows lost, without an error.
 */
export const tableSettings: Readonly<Record<string, string>> = {
  // The reader that was tried. The other one has different rules for files and statistics.
  'spark.sql.sources.useV1SourceList': 'avro,csv,json,kafka,orc,parquet,text',
  // Columns are found by their names, and types are those of our schema.
  'spark.sql.parquet.fieldId.read.enabled': 'false',
  'spark.sql.parquet.binaryAsString': 'false',
  'spark.sql.parquet.int96TimestampConversion': 'false',
  'spark.sql.parquet.inferTimestampNTZ.enabled': 'true',
  'spark.sql.legacy.parquet.nanosAsLong': 'false',
  'spark.sql.legacy.parquet.returnNullStructIfAllFieldsMissing': 'false',
  'spark.sql.parquet.mergeSchema': 'false',
  'spark.sql.parquet.respectSummaryFiles': 'false',
  // Dates before 1582 are what they are, in the calendar of Arrow.
  'spark.sql.parquet.datetimeRebaseModeInRead': 'CORRECTED',
  'spark.sql.parquet.int96RebaseModeInRead': 'CORRECTED',
  // A file that is missing or broken ends the statement.
  'spark.sql.files.ignoreCorruptFiles': 'false',
  'spark.sql.files.ignoreMissingFiles': 'false',
  // Statistics of members leave out NaN, and those in milliseconds are compared wrongly; see readable-types.ts.
  'spark.sql.optimizer.nestedPredicatePushdown.supportedFileSources': '',
  'spark.sql.parquet.aggregatePushdown': 'false',
  'spark.sql.parquet.recordLevelFilter.enabled': 'false',
  // The driver looks at that many files by itself, which is faster than a job. For more, a few tasks are enough; the default is one for each file.
  'spark.sql.sources.parallelPartitionDiscovery.threshold': '1000',
  'spark.sql.sources.parallelPartitionDiscovery.parallelism': '32',
  // Results that workers write: the types of Arrow, and times that readers other than Spark know.
  'spark.sql.parquet.outputTimestampType': 'TIMESTAMP_MICROS',
  'spark.sql.parquet.writeLegacyFormat': 'false',
  'spark.sql.parquet.fieldId.write.enabled': 'false',
  'spark.sql.parquet.datetimeRebaseModeInWrite': 'CORRECTED',
  'spark.sql.parquet.int96RebaseModeInWrite': 'CORRECTED',
  'spark.sql.parquet.compression.codec': 'zstd',
  'spark.sql.files.maxRecordsPerFile': '0',
};

/** Of Spark's two readers of Parquet, the fast one does not know the encoding in which transcoding writes floating-point columns. */
export const vectorizedKey = 'spark.sql.parquet.enableVectorizedReader';

/** Settings that depend on what the statement reads. */
export function settingsFor(tables: readonly EngineTable[]): Readonly<Record<string, string>> {
  const byRows = tables.some((table) =>
    readTable(table).some(({ reading }) => reading.kind === 'readable' && reading.byRows),
  );
  return { [vectorizedKey]: String(!byRows) };
}
