import type { Field } from '../../arrow/field.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import type { Caller } from '../../model/caller.ts';
import { asFrameholdError, type ErrorKind } from '../../model/errors.ts';
import { handleTextOf } from '../../model/manifest.ts';
import type { Column, VersionRecord } from '../../model/version.ts';
import type { CellText, OwnStatements } from '../../ports/version-statements.ts';
import type { ColumnStatistics, Histogram, ValueCount } from './analysis.ts';
import { type ColumnBins, columnBins, doubleText } from './column-bins.ts';
import { basicExpressions, frequentValues } from './column-expressions.ts';
import { type ColumnKind, columnKind } from './column-kind.ts';

/** Columns in a statement: 500 columns of doubles out of 2,000 needed more than the gigabyte that a statement may have. */
const groupMax = 100;
/** Columns whose values are grouped in one statement: each has a hash table. */
const groupedMax = 10;
/** Above so many different values a list of the most frequent ones says little and costs a large hash table. */
const distinctMax = 50_000;
/** Frequent values in a list: what a reader looks at. */
const valuesMax = 20;
/** Failures of one column, after which the others can still be summarized. */
const ofColumn: ReadonlySet<ErrorKind> = new Set([
  'column_not_readable',
  'sql_failed',
  'sql_invalid',
  'sql_memory',
]);

/** A column under way. */
interface Summary {
  readonly index: number;
  readonly field: Field;
  readonly column: Column;
  readonly kind: ColumnKind;
  basics: Basics | null;
  bins: ColumnBins | null;
  histogram: Histogram | null;
  /** If it was counted. */
  distinct: number | null;
  reason: string | null;
}

interface Basics {
  readonly count: number;
  readonly distinct: number;
  readonly min: string | null;
  readonly max: string | null;
  readonly mean: string | null;
  readonly notFinite: number | null;
  /** The ends of the histogram. */
  readonly low: string | null;
  readonly high: string | null;
}

/** Computes the statistics of some columns of a version with the engine: two or three passes over each column. */
export class ColumnStatisticsRun {
  readonly #statements: OwnStatements;
  readonly #caller: Caller;
  readonly #record: VersionRecord;
  readonly #fields: readonly Field[];
  readonly #signal: AbortSignal;

  constructor(statements: OwnStatements, caller: Caller, record: VersionRecord, signal: AbortSignal) {
    this.#statements = statements;
    this.#caller = caller;
    this.#record = record;
    this.#fields = fieldsOf(record);
    this.#signal = signal;
  }

  async columns(indices: readonly number[]): Promise<readonly ColumnStatistics[]> {
    const summaries = indices.map((index) => this.#begin(index));
    await this.#each(summaries, groupMax, (group) => this.#basics(group));
    const ranged = summaries.filter((summary) => summary.bins !== null);
    await this.#each(ranged, groupMax, (group) => this.#ranges(group));
    const grouped = summaries.filter(hasFrequentValues);
    await this.#each(grouped, groupedMax, (group) => this.#values(group));
    return summaries.map((summary) => this.#end(summary));
  }

  #begin(index: number): Summary {
    const field = this.#fields[index] as Field;
    const column = this.#record.schema.columns[index] as Column;
    const kind = columnKind(field);
    return {
      index,
      field,
      column,
      kind,
      basics: null,
      bins: null,
      histogram: null,
      distinct: null,
      reason: null,
    };
  }

  async #each(
    all: readonly Summary[],
    size: number,
    work: (group: readonly Summary[]) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < all.length; start += size)
      await this.#separated(all.slice(start, start + size), work);
  }

  /** If a statement fails through one of its columns, its halves are tried, until it is known which. */
  async #separated(
    group: readonly Summary[],
    work: (group: readonly Summary[]) => Promise<void>,
  ): Promise<void> {
    try {
      await work(group);
    } catch (thrown) {
      const { kind, message } = asFrameholdError(thrown);
      if (!ofColumn.has(kind)) throw thrown;
      const [only] = group;
      if (group.length === 1 && only !== undefined) {
        only.reason =
          kind === 'column_not_readable' ? message : `SQL cannot summarize it: ${firstLine(message)}`;
        return;
      }
      const half = Math.ceil(group.length / 2);
      await this.#separated(group.slice(0, half), work);
      await this.#separated(group.slice(half), work);
    }
  }

  async #basics(group: readonly Summary[]): Promise<void> {
    const each = group.map(({ kind, index }) => basicExpressions(kind, nameAt(index)));
    const [row = []] = await this.#rows(`SELECT ${each.flat().join(', ')} FROM ${this.#table()}`);
    let next = 0;
    for (const [position, summary] of group.entries()) {
      const width = each[position]?.length ?? 0;
      summary.basics = basicsOf(summary.kind, row.slice(next, next + width));
      next += width;
      const { low, high } = summary.basics;
      if (low !== null && high !== null)
        summary.bins = columnBins(summary.kind, summary.field, nameAt(summary.index), low, high);
    }
  }

  async #ranges(group: readonly Summary[]): Promise<void> {
    const expressions = group.flatMap(({ bins }) => bins?.expressions ?? ['NULL', 'NULL']);
    const [row = []] = await this.#rows(`SELECT ${expressions.join(', ')} FROM ${this.#table()}`);
    for (const [position, summary] of group.entries()) {
      const bins = summary.bins?.bins(row[2 * position] ?? null, row[2 * position + 1] ?? null) ?? [];
      summary.histogram = { kind: 'range', bins };
    }
  }

  async #values(group: readonly Summary[]): Promise<void> {
    const names = group.map(({ index }) => nameAt(index));
    const each = names.map((name) => frequentValues(name, 'chosen', valuesMax));
    // Not materialized: each branch then reads its own column and nothing else.
    const rows = await this.#rows(
      `WITH chosen AS NOT MATERIALIZED (SELECT ${names.join(', ')} FROM ${this.#table()}) SELECT source, value, n, of FROM (${each.join(' UNION ALL ')})`,
    );
    for (const summary of group) {
      const own = rows.filter(([name]) => name === nameAt(summary.index));
      const values: ValueCount[] = own.map(([, value, count]) => ({
        value: String(value),
        count: Number(count),
      }));
      values.sort((a, b) => b.count - a.count);
      summary.distinct = Number(own[0]?.[3] ?? 0);
      const listed = values.reduce((sum, { count }) => sum + count, 0);
      summary.histogram = { kind: 'values', values, others: (summary.basics?.count ?? 0) - listed };
    }
  }

  #end({ column, kind, basics, histogram, distinct: counted, reason }: Summary): ColumnStatistics {
    const { rows } = this.#record;
    const { name, type } = column;
    if (basics === null) {
      const nothing = { nulls: null, distinct: null, min: null, max: null, mean: null, histogram: null };
      return { name, type, ...nothing, reason: reason ?? 'it cannot be read' };
    }
    const { count, distinct, min, max, mean, notFinite } = basics;
    const why = reason ?? (histogram === null ? withoutHistogram(kind, basics) : null);
    return {
      name,
      type,
      nulls: rows - count,
      distinct: counted ?? Math.min(distinct, count, possibleValues(kind, basics)),
      min,
      max,
      mean,
      ...(notFinite === null ? {} : { notFinite }),
      histogram,
      ...(why === null ? {} : { reason: why }),
    };
  }

  /** Columns by position: their names in SQL may differ from those in the frame. */
  #table(): string {
    return `frame AS t(${this.#fields.map((_, index) => nameAt(index)).join(', ')})`;
  }

  #rows(sql: string): Promise<readonly (readonly CellText[])[]> {
    const title = `-- statistics of ${handleTextOf(this.#record)}`;
    const statement = { title, sql, tables: new Map([['frame', this.#record]]) };
    return this.#statements.rows(this.#caller, statement, this.#signal);
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function nameAt(index: number): string {
  return `c${index}`;
}

function basicsOf(kind: ColumnKind, cells: readonly CellText[]): Basics {
  const texts = cells.map((cell) => (Array.isArray(cell) ? null : (cell as string | null)));
  const [count, distinct, min = null, max = null, mean = null, notFinite = null, low = null, high = null] =
    texts;
  const number = (text: string | null) => (text === null ? null : doubleText(Number(asNumber(text))));
  const isFloat = kind === 'float';
  return {
    count: Number(count),
    distinct: Number(distinct),
    min: isFloat ? number(min) : min,
    max: isFloat ? number(max) : max,
    mean: number(mean),
    notFinite: notFinite === null ? null : Number(notFinite),
    low,
    high,
  };
}

/** The engine's words for what is not finite. */
function asNumber(text: string): string {
  return text.replace('inf', 'Infinity').replace('nan', 'NaN');
}

function hasFrequentValues({ kind, basics }: Summary): boolean {
  if (basics === null || basics.count === 0) return false;
  return kind === 'bool' || (kind === 'text' && basics.distinct <= distinctMax);
}

/** An estimate may be above what the range of whole numbers allows. */
function possibleValues(kind: ColumnKind, { low, high }: Basics): number {
  if (kind !== 'integer' || low === null || high === null) return Number.POSITIVE_INFINITY;
  return Number(BigInt(high) - BigInt(low) + 1n);
}

function withoutHistogram(kind: ColumnKind, { count, distinct }: Basics): string | null {
  if (count === 0) return 'it has no values';
  if (kind === 'text' && distinct > distinctMax) return `it has more than ${distinctMax} different values`;
  if (kind === 'float') return 'none of its values is finite';
  return 'values of its type are not grouped';
}

function fieldsOf({ schema }: VersionRecord): readonly Field[] {
  const message = parseMessage(schema.message);
  if (message.kind !== 'schema') throw new Error('the catalog has no schema of the version');
  return message.schema.fields;
}
