import type { ColumnStatistics } from '../../frames/analysis/analysis.ts';
import { columnIndices } from '../../frames/reading/column-indices.ts';
import { asFrameholdError } from '../../model/errors.ts';
import { type Handle, parseVersionHandle } from '../../model/handle.ts';
import { manifestOf } from '../../model/manifest.ts';
import { type ColumnNotes, columnNotesOf } from '../../model/notes.ts';
import type { Column } from '../../model/version.ts';
import type { HttpContext } from '../context.ts';
import type { Tool, ToolCall } from './tool.ts';

/** Columns of one answer: each has about 300 bytes. */
const columnsMax = 100;
/** Of a frequent value, the least and the greatest: longer ones are left out, and named. */
const textMax = 200;
/** Frequent values of a column: enough to show what it holds. */
const commonMax = 5;

export const describeFrame: Tool = {
  name: 'describe_frame',
  title: 'Describe a frame',
  description: `Describes one data frame: what people say of it, its columns with types, comments, units and statistics (nulls, distinct values, least, greatest, mean, frequent values). Use it before a query, to know names and types of columns. At most ${columnsMax} columns in one answer: name others with columns.`,
  properties: {
    frame: {
      type: 'string',
      description:
        'name for the newest version, name@3 for version 3, name@gold for the one with the tag gold, tenant:name for a shared frame. Rows since a version, name@3.., are for query only.',
    },
    columns: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: columnsMax,
      description: 'Only these columns.',
    },
  },
  required: ['frame'],
  run: async (context, given, call) => {
    const handle = parseVersionHandle(given.requiredText('frame', '{"frame": "trades"}'));
    const wanted = given.texts('columns', columnsMax);
    const record = await context.frames.resolve(call.caller, handle, call.signal);
    const { columns: all, rows, bytes, createdAt, expiresAt, ...rest } = manifestOf(record);
    const chosen =
      wanted === undefined
        ? all.slice(0, columnsMax)
        : columnIndices(record, wanted).map((index) => all[index] as Column);
    const pinned = { ...handle, version: record.version };
    const isWhole = chosen.length === all.length && wanted === undefined;
    const found = await statisticsOf(context, pinned, isWhole ? null : chosen, call);
    const { notes } = await context.notes.read(call.caller, pinned, call.signal);
    const { description, owner, labels } = notes;
    const said = { description, owner, ...(labels.length === 0 ? {} : { labels }) };
    const head = { handle: rest.handle, rows, bytes, createdAt, expiresAt, ...said, columnCount: all.length };
    return fitting(
      head,
      chosen.map((column, index) => ({
        ...typeOf(column),
        ...saidIn(columnNotesOf(notes, column.name)),
        ...found.of(index),
      })),
      {
        bytesMax: context.mcp.bytesMax,
        isPart: wanted === undefined && all.length > columnsMax,
        more: found.missing === null ? {} : { statisticsMissing: found.missing },
      },
    );
  },
};

/** Without what nobody has said. */
function saidIn(notes: ColumnNotes): Partial<ColumnNotes> {
  return Object.fromEntries(Object.entries(notes).filter(([, text]) => text !== null));
}

interface FoundStatistics {
  of(index: number): object;
  readonly missing: string | null;
}

/** Of these columns; null: of all. A frame that SQL cannot read still has columns to describe. */
async function statisticsOf(
  { analysis }: HttpContext,
  handle: Handle,
  columns: readonly Column[] | null,
  { caller, signal }: ToolCall,
): Promise<FoundStatistics> {
  try {
    const names = columns?.map(({ name }) => name) ?? null;
    const found = await analysis.statistics(caller, handle, names, signal);
    // A name means the first column that has it: the statistics of another would be wrong.
    const isAnother = (index: number) => names !== null && names.indexOf(names[index] ?? '') < index;
    return {
      of: (index) => (isAnother(index) ? { reason: sameName } : shown(found.columns[index])),
      missing: null,
    };
  } catch (thrown) {
    const error = asFrameholdError(thrown);
    if (error.kind !== 'not_representable' && error.kind !== 'column_not_readable') throw error;
    return { of: () => ({}), missing: error.message };
  }
}

const sameName = 'An earlier column has the same name.';

function typeOf({ name, type, dim, elemType }: Column): object {
  return {
    name,
    type,
    ...(dim === undefined ? {} : { dim }),
    ...(elemType === undefined ? {} : { elemType }),
  };
}

function shown(found: ColumnStatistics | undefined): object {
  if (found === undefined) return {};
  const { nulls, distinct, mean, histogram, reason } = found;
  const isLong = (text: string | null) => text !== null && text.length > textMax;
  const omitted = (['min', 'max'] as const).filter((key) => isLong(found[key]));
  const common = histogram?.kind === 'values' ? histogram.values : [];
  const short = common.filter(({ value }) => !isLong(value)).slice(0, commonMax);
  return {
    nulls,
    distinct,
    min: isLong(found.min) ? null : found.min,
    max: isLong(found.max) ? null : found.max,
    mean,
    ...(short.length === 0 ? {} : { common: short }),
    ...(omitted.length === 0 ? {} : { tooLong: omitted }),
    ...(reason === undefined ? {} : { reason }),
  };
}

interface Fit {
  readonly bytesMax: number;
  readonly isPart: boolean;
  readonly more: object;
}

/** As many columns as fit: names may have any length. */
function fitting(head: object, columns: readonly object[], { bytesMax, isPart, more }: Fit): string {
  const texts: string[] = [];
  let bytes = 0;
  for (const column of columns) {
    const text = JSON.stringify(column);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > bytesMax) break;
    texts.push(text);
  }
  const isCut = isPart || texts.length < columns.length;
  const truncated = `Only ${texts.length} columns are described here. Name others with columns.`;
  const rest = JSON.stringify({ ...more, ...(isCut ? { truncated } : {}) }).slice(1, -1);
  return `${JSON.stringify(head).slice(0, -1)},"columns":[${texts.join(',')}]${rest === '' ? '' : `,${rest}`}}`;
}
