import type { Field, Schema } from '../../../../server/src/arrow/field.ts';

/** Timestamps are instants, and those of a result are in this zone. */
export const sessionZone = 'UTC';

const optimizer = 'org.apache.spark.sql.catalyst.optimizer';

/**
 * How the text of a statement is read. The allowlist parses with these values: if Spark had others, it would see another
 * statement than the allowlist does. An administrator may have changed any default for the whole application.
 */
const reading: Readonly<Record<string, string>> = {
  // No '${env:NAME}' in a text, whatever the allowlist says.
  'spark.sql.variable.substitute': 'false',
  'spark.sql.ansi.enabled': 'true',
  'spark.sql.ansi.enforceReservedKeywords': 'false',
  // "x" is refused by the allowlist; should one pass, it is a text and names nothing.
  'spark.sql.ansi.doubleQuotedIdentifiers': 'false',
  'spark.sql.ansi.relationPrecedence': 'false',
  'spark.sql.parser.escapedStringLiterals': 'false',
  // `a.*` in back-quotes would be a pattern for columns.
  'spark.sql.parser.quotedRegexColumnNames': 'false',
  'spark.sql.parser.singleCharacterPipeOperator.enabled': 'true',
  'spark.sql.operatorPipeSyntaxEnabled': 'true',
  'spark.sql.legacy.consecutiveStringLiterals.enabled': 'false',
  'spark.sql.legacy.exponentLiteralAsDecimal.enabled': 'false',
  'spark.sql.legacy.setopsPrecedence.enabled': 'false',
  'spark.sql.legacy.bangEqualsNot': 'false',
  'spark.sql.legacy.interval.enabled': 'false',
  'spark.sql.legacy.parser.havingWithoutGroupByAsWhere': 'false',
  // Text behind a query would be dropped without an error.
  'spark.sql.legacy.parseQueryWithoutEof': 'false',
  'spark.sql.legacy.negativeIndexInArrayInsert': 'false',
  'spark.sql.legacy.literal.pickMinimumPrecision': 'true',
  'spark.sql.legacy.allowNegativeScaleOfDecimal': 'false',
  // Markers only where a value can be, as in the allowlist's grammar.
  'spark.sql.legacy.parameterSubstitution.constantsOnly': 'false',
  'spark.sql.legacy.identifierClause': 'false',
  'spark.sql.allowNamedFunctionArguments': 'true',
  'spark.sql.groupByOrdinal': 'true',
  'spark.sql.orderByOrdinal': 'true',
  'spark.sql.scripting.enabled': 'false',
};

/** What names mean. The allowlist decides which names a statement uses, and these decide what Spark finds under them. */
const names: Readonly<Record<string, string>> = {
  // parquet.`/path` is a name of two parts, which the allowlist refuses. This is the second lock.
  'spark.sql.runSQLOnFiles': 'false',
  'spark.sql.caseSensitive': 'false',
  // The allowlist resolves common table expressions in this way: the inner one counts.
  'spark.sql.legacy.ctePrecedencePolicy': 'CORRECTED',
  // Functions of a session or of a catalog do not hide those on the allowlist's list.
  'spark.sql.functionResolution.sessionOrder': 'second',
  'spark.sql.path.enabled': 'false',
  'spark.sql.legacy.persistentCatalogFirst': 'false',
  'spark.sql.legacy.allowTempViewCreationWithMultipleNameparts': 'false',
};

/** What values mean: the same answer whatever the application's defaults are. */
const values: Readonly<Record<string, string>> = {
  'spark.sql.session.timeZone': sessionZone,
  'spark.sql.timestampType': 'TIMESTAMP_LTZ',
  'spark.sql.mapKeyDedupPolicy': 'EXCEPTION',
  'spark.sql.legacy.timeParserPolicy': 'CORRECTED',
  'spark.sql.legacy.sizeOfNull': 'false',
  'spark.sql.legacy.charVarcharAsString': 'false',
  'spark.sql.preserveCharVarcharTypeInfo': 'false',
  'spark.sql.decimalOperations.allowPrecisionLoss': 'true',
  'spark.sql.legacy.nullInEmptyListBehavior': 'false',
  'spark.sql.legacy.percentileDiscCalculation': 'false',
  'spark.sql.legacy.statisticalAggregate': 'false',
};

/** What the driver does by itself, before any worker. Interrupting a job does not stop that. */
const driver: Readonly<Record<string, string>> = {
  // A constant expression would be computed while the statement is optimised: a regular expression can take hours.
  'spark.sql.optimizer.excludedRules': `${optimizer}.ConstantFolding,${optimizer}.ConvertToLocalRelation`,
  'spark.sql.pivotMaxValues': '10000',
  'spark.sql.execution.interruptOnCancel': 'true',
};

const rowsPerBatch = 'spark.sql.execution.arrow.maxRecordsPerBatch';
/** As Spark has it by default. */
const batchRowsMax = 10_000;
/** The port wants batches of some 4 MiB. Spark's own limit of bytes can be set for the whole application only, and is 90 MB. */
const batchBytes = 4 * 1024 ** 2;
/** Guessed for texts and bytes: a short name. Longer ones make larger batches, up to Spark's own limit. */
const textBytes = 32;

/** How rows and errors arrive. */
const answers: Readonly<Record<string, string>> = {
  [rowsPerBatch]: String(batchRowsMax),
  // Bodies are passed on as they are, and clients expect plain ones.
  'spark.sql.execution.arrow.compression.codec': 'none',
  'spark.sql.execution.arrow.useLargeVarTypes': 'false',
  'spark.connect.progress.reportInterval': '500ms',
  'spark.sql.connect.enrichError.enabled': 'true',
  // A stack shows classes and paths of the server; the log of Spark has it.
  'spark.sql.connect.serverStacktrace.enabled': 'false',
  'spark.sql.pyspark.jvmStacktrace.enabled': 'false',
  'spark.sql.error.messageFormat': 'PRETTY',
};

/** What every session has. Each is set, then read back, before a statement is analysed. */
export const sessionSettings: Readonly<Record<string, string>> = {
  ...reading,
  ...names,
  ...values,
  ...driver,
  ...answers,
};

/** The setting for rows of these columns, if they want smaller batches than others. */
export function batchSettings(schema: Schema): ReadonlyMap<string, string> | null {
  const rowBytes = schema.fields.reduce((sum, field) => sum + widthOf(field), 0);
  const rows = Math.max(1, Math.floor(batchBytes / Math.max(1, rowBytes)));
  return rows >= batchRowsMax ? null : new Map([[rowsPerBatch, String(rows)]]);
}

function widthOf({ type, children }: Field): number {
  if (children.length > 0) return children.reduce((sum, child) => sum + widthOf(child), 8);
  switch (type.kind) {
    case 'utf8':
    case 'binary':
      return textBytes;
    case 'decimal':
      return 16;
    default:
      return 8;
  }
}
