import type { Diff, Framehold } from '../../../client/src/index.ts';
import { quoteName } from '../../../console/src/sql/sql-names.ts';
import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import { wantsTable } from '../output/answers.ts';
import { rowsText } from '../output/readable-numbers.ts';
import { printRows } from '../output/rows-table.ts';
import { safeText } from '../output/safe-text.ts';
import { UsageError } from '../usage-error.ts';
import { parseVersionedName } from '../versioned-name.ts';

const rowsDefault = 10;
/** They are all in memory, and an answer of EXCEPT ALL is not for large amounts. */
const rowsMax = 100_000;

export async function run(call: Call): Promise<number> {
  const { words, options, signal } = call;
  const [first = '', second] = words;
  const { name, version: from } = parseVersionedName(first);
  const limit = options.count('rows') ?? rowsDefault;
  if (limit > rowsMax)
    throw new UsageError(
      `--rows can be at most ${rowsMax}.`,
      'framehold sql with EXCEPT ALL shows any number.',
    );
  const client = await call.connect();
  const to = second === undefined ? await newest(call, client, name) : versionOf(second, name);
  const diff = await withFrameHint(client, first, () => client.frames.diff(name, from, to, { signal }));
  const { added, removed } = samplesOf(name, diff, limit);
  if (wantsTable(call)) await showTable(call, client, name, diff, { added, removed });
  else {
    const [addedRows, removedRows] = [
      await jsonRows(call, client, added),
      await jsonRows(call, client, removed),
    ];
    // The rows are copied as the server wrote them: JSON.parse would lose digits.
    const text = JSON.stringify({ name, ...diff }).slice(0, -1);
    await call.output.line(`${text},"added":[${addedRows}],"removed":[${removedRows}]}`);
  }
  return options.has('exit-code') && isDifferent(diff) ? 1 : 0;
}

async function newest({ signal }: Call, client: Framehold, name: string): Promise<number> {
  return (await withFrameHint(client, name, () => client.frames.get(name, { signal }))).version;
}

function versionOf(handle: string, name: string): number {
  const other = parseVersionedName(handle);
  if (other.name === name) return other.version;
  throw new UsageError(
    `${handle} is a version of another frame than ${name}.`,
    'framehold diff compares versions of one frame; framehold sql with EXCEPT ALL compares any two.',
  );
}

function isDifferent({ schema, rows }: Diff): boolean {
  const { added, removed, changed, reordered } = schema;
  if (added.length + removed.length + changed.length > 0 || reordered) return true;
  return rows.kind !== 'same' && !(rows.kind === 'compared' && rows.onlyInFrom + rows.onlyInTo === 0);
}

/** Where rows that only one version has come from: the end of it, or a statement. */
type Sample =
  | { readonly handle: string; readonly offset: number; readonly limit: number }
  | { readonly sql: string };

interface Samples {
  readonly added: Sample | null;
  readonly removed: Sample | null;
}

/** The rows of one version that the other has not, or has less often. Only columns that both have can be compared. */
function samplesOf(name: string, { from, to, rows }: Diff, limit: number): Samples {
  if (limit === 0) return { added: null, removed: null };
  if (rows.kind === 'appended')
    return { added: { handle: `${name}@${to}`, offset: rows.offset, limit }, removed: null };
  if (rows.kind !== 'compared') return { added: null, removed: null };
  const columns = rows.columns?.map(quoteName).join(', ') ?? '*';
  const table = (version: number) => quoteName(`${name}@${version}`);
  const only = (one: number, other: number) => ({
    sql: `SELECT ${columns} FROM ${table(one)} EXCEPT ALL SELECT ${columns} FROM ${table(other)} LIMIT ${limit}`,
  });
  return {
    added: rows.onlyInTo > 0 ? only(to, from) : null,
    removed: rows.onlyInFrom > 0 ? only(from, to) : null,
  };
}

async function jsonRows({ signal }: Call, client: Framehold, sample: Sample | null): Promise<string> {
  if (sample === null) return '';
  const answer =
    'sql' in sample
      ? await client.exportSql(sample.sql, { format: 'ndjson', history: false, signal })
      : await client.export(sample.handle, { ...sample, format: 'ndjson', signal });
  return (await answer.text()).trimEnd().replaceAll('\n', ',');
}

async function showTable(
  { output, signal }: Call,
  client: Framehold,
  name: string,
  diff: Diff,
  { added, removed }: Samples,
): Promise<void> {
  await output.write(safeText(describe(name, diff), '\n'));
  const counts = diff.rows.kind === 'compared' ? diff.rows : null;
  const appended = diff.rows.kind === 'appended' ? diff.rows.count : 0;
  for (const [title, sample, total] of [
    ['Added:', added, counts?.onlyInTo ?? appended],
    ['Removed:', removed, counts?.onlyInFrom ?? 0],
  ] as const) {
    if (sample === null) continue;
    await output.line(`\n${title}`);
    const rows =
      'sql' in sample
        ? await client.sql(sample.sql, { history: false, signal })
        : await client.rows(sample.handle, { ...sample, signal });
    await printRows(output, rows, total);
  }
}

/** Schema and row counts in words. */
export function describe(name: string, { from, to, schema, rows }: Diff): string {
  const lines = [
    `${name}@${from} → ${name}@${to}`,
    ...schema.added.map((column) => `  column added: ${column.name} ${column.type}`),
    ...schema.removed.map((column) => `  column removed: ${column.name} ${column.type}`),
    ...schema.changed.map((change) => `  column changed: ${change.name} from ${change.from} to ${change.to}`),
    ...(schema.reordered ? ['  the columns are in another order'] : []),
    `  ${rowsSentence(rows)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function rowsSentence(rows: Diff['rows']): string {
  switch (rows.kind) {
    case 'same':
      return 'the same rows';
    case 'appended':
      return `${rowsText(rows.count)} appended`;
    case 'compared':
      return `${rowsText(rows.onlyInTo)} added, ${rowsText(rows.onlyInFrom)} removed, ${rowsText(rows.inBoth)} in both`;
    case 'not_comparable':
      return `the rows cannot be compared: ${rows.reason}`;
  }
}
