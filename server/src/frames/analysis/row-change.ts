import type { Caller } from '../../model/caller.ts';
import { asFrameholdError, type ErrorKind } from '../../model/errors.ts';
import { handleTextOf } from '../../model/manifest.ts';
import type { PartRecord, VersionRecord } from '../../model/version.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { OwnStatements } from '../../ports/version-statements.ts';
import type { RowsChange } from './analysis.ts';
import { columnKind } from './column-kind.ts';
import type { CommonColumn, ComparedSchemas } from './schema-change.ts';

export interface RowChangeDependencies {
  readonly catalog: Pick<Catalog, 'parts'>;
  readonly statements: OwnStatements;
}

/** Rows are grouped by all their columns at once; a group of more than this costs more than the answer is worth. */
const comparedColumnsMax = 2_000;
/** What the rows themselves, or their number, are the reason for. */
const ofRows: ReadonlySet<ErrorKind> = new Set([
  'column_not_readable',
  'not_representable',
  'sql_failed',
  'sql_memory',
  'sql_timeout',
]);

/** What happened to the rows between two versions: from their parts if these tell, otherwise by comparing all rows. */
export async function compareRows(
  { catalog, statements }: RowChangeDependencies,
  caller: Caller,
  from: VersionRecord,
  to: VersionRecord,
  schemas: ComparedSchemas,
  signal: AbortSignal,
): Promise<RowsChange> {
  if (from.version === to.version) return { kind: 'same' };
  const known = schemas.isSame ? await fromParts(catalog, from, to) : null;
  signal.throwIfAborted();
  return known ?? compareValues(statements, caller, from, to, schemas, signal);
}

/** An append leaves the parts before it as they are, and a restored version has the parts of another: then nothing is read. */
async function fromParts(
  catalog: RowChangeDependencies['catalog'],
  from: VersionRecord,
  to: VersionRecord,
): Promise<RowsChange | null> {
  const [before, after] = await Promise.all(
    [from, to].map(({ tenant, name, version, versionId }) => catalog.parts(tenant, name, version, versionId)),
  );
  if (before === undefined || after === undefined) return null;
  const [shorter, longer] = before.length <= after.length ? [before, after] : [after, before];
  if (!beginsWith(longer, shorter)) return null;
  if (from.rows === to.rows) return { kind: 'same' };
  if (longer === after) return { kind: 'appended', count: to.rows - from.rows, offset: from.rows };
  return { kind: 'compared', onlyInFrom: from.rows - to.rows, onlyInTo: 0, inBoth: to.rows };
}

function beginsWith(parts: readonly PartRecord[], first: readonly PartRecord[]): boolean {
  return first.every(({ id }, index) => parts[index]?.id === id);
}

async function compareValues(
  statements: OwnStatements,
  caller: Caller,
  from: VersionRecord,
  to: VersionRecord,
  { common, isSame }: ComparedSchemas,
  signal: AbortSignal,
): Promise<RowsChange> {
  if (common.length === 0)
    return { kind: 'not_comparable', reason: 'The versions have no column of the same name and type.' };
  if (common.length > comparedColumnsMax)
    return {
      kind: 'not_comparable',
      reason: `The versions have ${common.length} common columns; rows of at most ${comparedColumnsMax} are compared.`,
    };
  const statement = {
    title: `-- differences between ${handleTextOf(from)} and ${handleTextOf(to)}`,
    sql: comparison(common, from, to),
    tables: new Map([
      ['before', from],
      ['after', to],
    ]),
  };
  try {
    const [[onlyInFrom, onlyInTo, inBoth] = []] = await statements.rows(caller, statement, signal);
    return {
      kind: 'compared',
      onlyInFrom: Number(onlyInFrom),
      onlyInTo: Number(onlyInTo),
      inBoth: Number(inBoth),
      ...(isSame ? {} : { columns: common.map(({ name }) => name) }),
    };
  } catch (thrown) {
    const { kind, message } = asFrameholdError(thrown);
    if (ofRows.has(kind)) return { kind: 'not_comparable', reason: message };
    throw thrown;
  }
}

/** A row that is there three times and then once is twice only in the first. */
function comparison(common: readonly CommonColumn[], from: VersionRecord, to: VersionRecord): string {
  const keys = common.flatMap(({ field }, place) => {
    // Zero and negative zero are equal for the engine.
    const isFloat = columnKind(field) === 'float';
    return isFloat ? [`k${place}`, `signbit(k${place})`] : [`k${place}`];
  });
  const side = (table: string, { schema }: VersionRecord, positionOf: (column: CommonColumn) => number) => {
    const names = schema.columns.map((_, index) => `c${index}`).join(', ');
    const chosen = common.map((column, place) => `c${positionOf(column)} AS k${place}`).join(', ');
    return `SELECT '${table}' AS side, ${chosen} FROM ${table} AS t(${names})`;
  };
  const rows = `${side('before', from, (column) => column.from)} UNION ALL ${side('after', to, (column) => column.to)}`;
  const counts = `SELECT count(*) FILTER (WHERE side = 'before') AS a, count(*) FILTER (WHERE side = 'after') AS b FROM (${rows}) GROUP BY ${keys.join(', ')}`;
  return `SELECT coalesce(sum(greatest(a - b, 0)), 0), coalesce(sum(greatest(b - a, 0)), 0), coalesce(sum(least(a, b)), 0) FROM (${counts})`;
}
