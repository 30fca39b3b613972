import {
  type ErrorKind,
  FrameholdError,
  type FrameholdErrorOptions,
} from '../../../server/src/model/errors.ts';
import { unreadableError } from '../../../server/src/model/unreadable-column.ts';
import { ConnectError } from './connect/connect-error.ts';
import { callerPlace } from './statement-places.ts';

/** What is needed to speak to the caller of its own statement, and of nothing else. */
export interface SparkErrorContext {
  /** As the caller wrote it. */
  readonly statement: string;
  /** As Spark was sent it, and where its tokens are in the caller's. */
  readonly text: string;
  readonly places: Uint32Array;
  /** As the caller wrote them: the n-th is the view fh_<n>. */
  readonly tables: readonly string[];
}

type Answer = Pick<FrameholdErrorOptions, 'hint'> & { readonly kind: ErrorKind; readonly detail: string };

/** Spark's texts are shown for these classes of SQLSTATE: they speak of the statement and its values. Other texts speak of files, hosts and classes. */
const statesOfStatements: Readonly<Record<string, ErrorKind>> = {
  // Cardinality: a subquery gives several rows where one is wanted.
  '21': 'sql_failed',
  // Values: division by zero, casts, overflows.
  '22': 'sql_failed',
  // A key twice in a map.
  '23': 'sql_failed',
  // Syntax, names and types.
  '42': 'sql_invalid',
  // Not offered by Spark.
  '0A': 'sql_invalid',
  // Longer or deeper than Spark takes.
  '54': 'sql_invalid',
  // raise_error and assert_true.
  P0: 'sql_failed',
};

const memoryHint =
  'Ask for less at once: fewer columns, rows or groups. Or give the workers of Spark more memory or smaller partitions.';

/** Older errors of Spark have no state: what they speak of shows in the class of the exception. */
const classesOfStatements: readonly (readonly [name: string, kind: ErrorKind])[] = [
  ['org.apache.spark.sql.AnalysisException', 'sql_invalid'],
  ['org.apache.spark.SparkArithmeticException', 'sql_failed'],
  ['org.apache.spark.SparkDateTimeException', 'sql_failed'],
  ['org.apache.spark.SparkNumberFormatException', 'sql_failed'],
  ['org.apache.spark.SparkArrayIndexOutOfBoundsException', 'sql_failed'],
];

/** Errors whose class would say something else, by the beginning of Spark's name for them. */
const conditions: readonly (readonly [prefix: string, answer: Answer])[] = [
  ['PATH_NOT_FOUND', unreadableFiles()],
  ['FAILED_READ_FILE', unreadableFiles()],
  ['CANNOT_READ_FILE', unreadableFiles()],
  ['UNABLE_TO_ACQUIRE_MEMORY', outOfMemory()],
  ['AGGREGATE_OUT_OF_MEMORY', outOfMemory()],
  ['POINTER_ARRAY_OUT_OF_MEMORY', outOfMemory()],
  ['SPILL_OUT_OF_MEMORY', outOfMemory()],
  ['SPARK_JOB_CANCELLED', stopped()],
  ['OPERATION_CANCELED', stopped()],
  ['TASK_WRITE_FAILED', unwritable()],
  ['PATH_ALREADY_EXISTS', unwritable()],
  ['INVALID_CONF', { kind: 'engine_failed', detail: 'Spark does not accept its settings.' }],
];

/** Of exceptions that have no name of Spark's. They are looked for in all texts of the exception and its causes. */
const traces: readonly (readonly [mark: string, answer: Answer])[] = [
  ['spark.driver.maxResultSize', tooManyRows()],
  ['OutOfMemoryError', outOfMemory()],
  ['Not enough memory to build and broadcast', outOfMemory()],
  ['Cannot broadcast the table', outOfMemory()],
  ['No space left on device', outOfSpace()],
  ['ExecutorLostFailure', workersLost()],
  ['MetadataFetchFailed', workersLost()],
  ['FetchFailed', workersLost()],
  ['SparkContext was shut down', restarted()],
  ['stopped SparkContext', restarted()],
];

/** A failure of Spark, or of the way to it, as one of ours. The whole of it is the cause, for the log. */
export function fromSpark(thrown: unknown, context: SparkErrorContext): FrameholdError {
  if (thrown instanceof FrameholdError) return thrown;
  if (!(thrown instanceof ConnectError)) return failed(unexplained(), thrown);
  switch (thrown.reason) {
    case 'spark':
      return ofSpark(thrown, context);
    case 'unreachable':
      return failed(
        {
          kind: 'unavailable',
          detail: 'Spark cannot be reached.',
          hint: 'Try again in a moment, or without Spark. If it lasts, Spark Connect does not run at the address in spark.url.',
        },
        thrown,
      );
    case 'deadline':
      return failed(
        { kind: 'unavailable', detail: 'Spark did not answer in time.', hint: 'Try again in a moment.' },
        thrown,
      );
    case 'lost':
      return failed(restarted(), thrown);
    case 'interrupted':
      return failed(stopped(), thrown);
    case 'unauthenticated':
      return failed(
        {
          kind: 'engine_failed',
          detail: 'Spark refuses the token of this server.',
          hint: 'The administrator has to set spark.token to the token of Spark Connect.',
        },
        thrown,
      );
    case 'protocol':
      return failed(unexplained(), thrown);
  }
}

function ofSpark(error: ConnectError, context: SparkErrorContext): FrameholdError {
  const { condition, sqlState } = error;
  const unreadable = unreadableError(error.message);
  if (unreadable !== null) return unreadable;
  const known = conditions.find(([prefix]) => condition?.startsWith(prefix));
  if (known !== undefined) return failed(known[1], error);
  const kind =
    sqlState === null
      ? classesOfStatements.find(([name]) => error.classes.includes(name))?.[1]
      : statesOfStatements[sqlState.slice(0, 2)];
  if (kind === undefined) {
    const texts = [error.message, ...error.classes, ...error.causes];
    const trace = traces.find(([mark]) => texts.some((text) => text.includes(mark)));
    return failed(trace?.[1] ?? unexplained(), error);
  }
  const place = placeOf(error, context);
  const missing = condition === 'TABLE_OR_VIEW_NOT_FOUND' ? missingTable(error, context) : null;
  return new FrameholdError(kind, missing ?? shownText(error.message, context), {
    cause: error,
    ...(place === null ? {} : { place }),
  });
}

function placeOf({ places }: ConnectError, context: SparkErrorContext) {
  const own = places.find(({ objectType }) => objectType === '');
  return own === undefined ? null : callerPlace(context.text, own.start, context.places, context.statement);
}

function missingTable({ parameters }: ConnectError, context: SparkErrorContext): string {
  const name = parameters.get('relationName') ?? 'that the statement reads';
  return `There is no table ${withNames(name, context)}.`;
}

/** Spark's text without its own name for the error, the plan or lines of the statement behind it, and settings that no caller can change. */
function shownText(message: string, context: SparkErrorContext): string {
  const [first = ''] = message.split(/ SQLSTATE: [0-9A-Z]{5}/, 1);
  const text = first
    .trimStart()
    .replace(/^\[[A-Z0-9_.]+\] /, '')
    .replace(/ If necessary set "[\w.]+" to "\w+" to bypass this error\.?/g, '');
  return withNames(text, context).trim();
}

/** Names and addresses that the caller has not written are replaced. */
function withNames(text: string, { tables }: SparkErrorContext): string {
  return text
    .replace(/`?\bfh_(\d{1,6})\b`?/g, (_, number: string) => quoted(tables[Number(number)] ?? '…'))
    .replace(/`?\bfh_c\d{1,6}\b`?/g, 'the common table expression')
    .replace(/\b(?:s3a|s3|file|hdfs|abfss?|gs):\/[^\s,;'"`)\]]*/g, '…');
}

function quoted(name: string): string {
  return `\`${name}\``;
}

function failed({ kind, detail, hint }: Answer, cause: unknown): FrameholdError {
  return new FrameholdError(kind, detail, { cause, ...(hint === undefined ? {} : { hint }) });
}

function unexplained(): Answer {
  return {
    kind: 'engine_failed',
    detail: 'Spark failed in a way that it does not explain.',
    hint: 'Try again. If it happens again, the log of this server and of Spark have the reason under this request.',
  };
}

function restarted(): Answer {
  return {
    kind: 'engine_failed',
    detail: 'Spark has lost the statement: it was restarted, or has given the session up.',
    hint: 'Nothing was changed. Run the statement again.',
  };
}

function stopped(): Answer {
  return {
    kind: 'engine_failed',
    detail: 'The statement was stopped at Spark.',
    hint: 'Somebody has ended its job there, or Spark is stopping. Run it again.',
  };
}

function outOfMemory(): Answer {
  return {
    kind: 'sql_memory',
    detail: 'The statement needs more memory than the workers or the driver of Spark have.',
    hint: memoryHint,
  };
}

function tooManyRows(): Answer {
  return {
    kind: 'sql_memory',
    detail: 'The result is larger than the driver of Spark may collect.',
    hint: 'Write it to a frame with into: the workers then write it themselves. The limit is spark.driver.maxResultSize.',
  };
}

function outOfSpace(): Answer {
  return {
    kind: 'sql_memory',
    detail: 'The workers of Spark have no room left on their disks for this statement.',
    hint: memoryHint,
  };
}

function workersLost(): Answer {
  return {
    kind: 'engine_failed',
    detail: 'Spark has lost workers again and again, and gave the statement up.',
    hint: 'Most often they need more memory than they have. The log of Spark has the reason.',
  };
}

function unreadableFiles(): Answer {
  return {
    kind: 'engine_failed',
    detail: 'Spark cannot read the files of a frame.',
    hint: 'Its workers need the same directory or bucket as this server, with the right to read it. The log has the file.',
  };
}

function unwritable(): Answer {
  return {
    kind: 'engine_failed',
    detail: 'The workers of Spark cannot write the result.',
    hint: 'They need the right to write where results are collected. Nothing was changed. The log has the reason.',
  };
}
