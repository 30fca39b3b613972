import { type Filter, isOperator, type SortKey } from './filter-sql.ts';

/** How the reader wants to see the rows. It is kept in the URL, so that a link shows the same. */
export interface GridView {
  readonly sort: readonly SortKey[];
  readonly filters: readonly Filter[];
  readonly hidden: readonly string[];
  readonly frozen: readonly string[];
}

export const plainView: GridView = { sort: [], filters: [], hidden: [], frozen: [] };

export type ViewParameters = Readonly<Record<'sort' | 'filter' | 'hidden' | 'frozen', string | null>>;

/** For the URL: lists separated by commas, their fields by colons; null for a parameter that is not needed. */
export function writeView(view: GridView): ViewParameters {
  const list = (entries: readonly (readonly string[])[]) =>
    entries.length === 0 ? null : entries.map((fields) => fields.map(escaped).join(':')).join(',');
  return {
    sort: list(view.sort.map(({ column, isDescending }) => [column, isDescending ? 'desc' : 'asc'])),
    filter: list(
      view.filters.map(({ column, operator, values }) => [column, operator, ...values.map(String)]),
    ),
    hidden: list(view.hidden.map((name) => [name])),
    frozen: list(view.frozen.map((name) => [name])),
  };
}

/** Entries that cannot be read, in an address that somebody typed, are left out. */
export function readView(parameters: { get(name: string): string | null }): GridView {
  const list = (name: string) => splitEntries(parameters.get(name));
  return {
    sort: list('sort').flatMap(([column, order]) =>
      column === undefined ? [] : [{ column, isDescending: order === 'desc' }],
    ),
    filters: list('filter').flatMap(([column, operator, ...values]) =>
      column !== undefined && isOperator(operator) ? [{ column, operator, values }] : [],
    ),
    hidden: list('hidden').map(([name = '']) => name),
    frozen: list('frozen').map(([name = '']) => name),
  };
}

function escaped(field: string): string {
  return field.replace(/[\\,:]/g, '\\$&');
}

function splitEntries(text: string | null): string[][] {
  if (text === null) return [];
  const entries: string[][] = [[]];
  let field = '';
  const endField = () => {
    entries.at(-1)?.push(field);
    field = '';
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '\\') field += text[++at] ?? '';
    else if (character === ':') endField();
    else if (character === ',') {
      endField();
      entries.push([]);
    } else field += character;
  }
  endField();
  return entries;
}
