import { ColumnLayout, type LayoutOptions } from './column-layout.ts';
import type { GridColumn } from './row-source.ts';
import { ScrollMap } from './scroll-map.ts';
import { type Cell, type Selection, selectCell } from './selection.ts';

export const rowPx = 26;
export const headerPx = 44;

/** What is shown where: size of the screen, place in the rows, selection. It knows nothing of elements. */
export class GridModel {
  columns: readonly GridColumn[] = [];
  rowCount = 0;
  /** Room is left for it beside the rows. */
  rowNumberMax = 0;
  /** In pixels of rows and columns, not of the scroll bar. */
  top = 0;
  left = 0;
  layout: ColumnLayout;
  scroll: ScrollMap;
  selection: Selection = selectCell({ row: 0, place: 0 });
  /** Changes whenever cells have to be placed again. */
  layoutId = 0;
  #widthPx = 0;
  #heightPx = 0;
  #options: Pick<LayoutOptions, 'hidden' | 'frozen' | 'widths'> = {
    hidden: new Set(),
    frozen: [],
    widths: new Map(),
  };

  constructor() {
    this.scroll = new ScrollMap(0, 0);
    this.layout = this.#newLayout();
  }

  get widthPx(): number {
    return this.#widthPx;
  }

  /** Of the rows, without the header. */
  get bodyPx(): number {
    return Math.max(this.#heightPx - headerPx, 0);
  }

  /** Rows that are shown whole. */
  get pageRows(): number {
    return Math.max(Math.floor(this.bodyPx / rowPx) - 1, 1);
  }

  get leftMax(): number {
    return Math.max(this.layout.totalPx - this.#widthPx, 0);
  }

  resize(widthPx: number, heightPx: number): void {
    this.#widthPx = widthPx;
    this.#heightPx = heightPx;
    this.#place();
  }

  show(columns: readonly GridColumn[], rowCount: number, rowNumberMax = rowCount): void {
    this.columns = columns;
    this.rowCount = rowCount;
    this.rowNumberMax = rowNumberMax;
    this.#place();
  }

  arrange(options: Pick<LayoutOptions, 'hidden' | 'frozen' | 'widths'>): void {
    this.#options = options;
    this.#place();
  }

  visibleRows(): { readonly first: number; readonly end: number } {
    const first = Math.floor(this.top / rowPx);
    return { first, end: Math.min(Math.ceil((this.top + this.bodyPx) / rowPx), this.rowCount) };
  }

  visiblePlaces(): number[] {
    return this.layout.visible(this.left, this.#widthPx);
  }

  moveTo(top: number, left: number): void {
    this.top = this.scroll.clamp(top);
    this.left = Math.min(Math.max(left, 0), this.leftMax);
  }

  /** Scrolls just as far as needed to show a cell. */
  reveal({ row, place }: Cell): void {
    let top = this.top;
    if (row >= 0) {
      if (row * rowPx < top) top = row * rowPx;
      else if ((row + 1) * rowPx > top + this.bodyPx) top = (row + 1) * rowPx - this.bodyPx;
    }
    this.moveTo(top, this.layout.reveal(place, this.left, this.#widthPx));
  }

  /** Shows a row in the middle of the screen, unless it is in view already. */
  center(row: number): void {
    const isInView = row * rowPx >= this.top && (row + 1) * rowPx <= this.top + this.bodyPx;
    if (!isInView) this.moveTo(row * rowPx - (this.bodyPx - rowPx) / 2, this.left);
  }

  /** The cell at a point of the grid; place -1 is the column of row numbers. Null beside the cells. */
  cellAt(x: number, y: number): Cell | null {
    const row = y < headerPx ? -1 : Math.floor((y - headerPx + this.top) / rowPx);
    if (row >= this.rowCount) return null;
    if (x < this.layout.gutterPx) return { row, place: -1 };
    for (const place of this.visiblePlaces()) {
      const from = this.xOf(place);
      if (x >= from && x < from + (this.layout.places[place]?.width ?? 0)) return { row, place };
    }
    return null;
  }

  /** Where a shown column begins on the screen. */
  xOf(place: number): number {
    const found = this.layout.places[place];
    if (found === undefined) return 0;
    return this.layout.gutterPx + found.left - (found.isFrozen ? 0 : this.left);
  }

  #place(): void {
    this.layout = this.#newLayout();
    this.scroll = new ScrollMap(this.rowCount * rowPx, this.bodyPx);
    this.layoutId++;
    this.moveTo(this.top, this.left);
    const lastPlace = Math.max(this.layout.places.length - 1, 0);
    const lastRow = Math.max(this.rowCount - 1, 0);
    const inside = ({ row, place }: Cell) => ({
      row: Math.min(row, lastRow),
      place: Math.min(place, lastPlace),
    });
    this.selection = { anchor: inside(this.selection.anchor), head: inside(this.selection.head) };
  }

  #newLayout(): ColumnLayout {
    const digits = Math.max(this.rowNumberMax, 9999).toLocaleString('en').length;
    return new ColumnLayout(this.columns, {
      ...this.#options,
      gutterPx: Math.ceil(digits * 6.8) + 18,
      viewportPx: this.#widthPx,
    });
  }
}
