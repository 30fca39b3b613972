import type { PageKey } from './page-cache.ts';

export interface View {
  readonly firstRow: number;
  readonly endRow: number;
  readonly rowCount: number;
  readonly pageRows: number;
  /** Groups of the columns in view, and the one that follows them in the direction of the last movement. */
  readonly groups: readonly number[];
  readonly nextGroup: number | null;
  /** Nothing is fetched ahead. */
  readonly isCostly?: boolean;
  /** 1 if the reader moves down or rests, -1 if up. */
  readonly direction: 1 | -1;
}

/** Pages to have at hand, the most urgent first: those in view, two ahead, one behind, and the columns beside. */
export function wantedPages(view: View): PageKey[] {
  const { firstRow, endRow, rowCount, pageRows, groups, direction } = view;
  if (rowCount === 0 || endRow <= firstRow) return [];
  const first = Math.floor(firstRow / pageRows);
  const last = Math.floor((endRow - 1) / pageRows);
  const lastOfAll = Math.floor((rowCount - 1) / pageRows);
  const inView: number[] = [];
  for (let page = first; page <= last; page++) inView.push(page);
  const around = direction === 1 ? [last + 1, last + 2, first - 1] : [first - 1, first - 2, last + 1];
  const nearby = around.filter((page) => page >= 0 && page <= lastOfAll);
  const keysOf = (pages: readonly number[], of: readonly number[]) =>
    pages.flatMap((page) => of.map((group) => ({ page, group })));
  if (view.isCostly) return keysOf(inView, groups);
  return [
    ...keysOf(inView, groups),
    ...keysOf(nearby.slice(0, 1), groups),
    ...(view.nextGroup === null ? [] : keysOf(inView, [view.nextGroup])),
    ...keysOf(nearby.slice(1), groups),
  ];
}
