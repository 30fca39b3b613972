import { groupColumns } from './column-layout.ts';
import { GridCanvas, type HeaderMarks } from './grid-canvas.ts';
import { GridModel, headerPx, rowPx } from './grid-model.ts';
import { PageCache } from './page-cache.ts';
import type { GridColumn, RowSource } from './row-source.ts';
import { type Cell, type Selection, selectCell } from './selection.ts';
import { wantedPages } from './wanted-pages.ts';

export interface GridElements {
  readonly scroller: HTMLElement;
  readonly spacer: HTMLElement;
  readonly canvas: HTMLElement;
}

export interface GridEvents {
  /** After each drawing that changed what is in view, the selection or whether rows are missing. */
  readonly onDrawn: () => void;
  readonly onSelected: (selection: Selection) => void;
  readonly onFailed: (error: unknown) => void;
  /** Cells of columns in view have arrived, so that their widths can be chosen. */
  readonly onColumnsSeen: (columns: readonly number[]) => void;
  readonly marksOf: (column: GridColumn) => HeaderMarks;
}

export interface GridStatus {
  readonly firstRow: number;
  readonly endRow: number;
  readonly hasBlanks: boolean;
  readonly selection: Selection;
}

/** Large rows: fewer at once. Small ones: enough for several screens. */
const pageRowsDefault = 500;
/** A thumb that is dragged passes pages that nobody reads: requests wait until it rests this long. */
const jumpDelayMs = 40;

/** Keeps the scroll bar, the model, the drawn cells and the pages in step. */
export class GridController {
  readonly model = new GridModel();
  hasBlanks = false;
  readonly #elements: GridElements;
  readonly #events: GridEvents;
  readonly #canvas: GridCanvas;
  readonly #source: RowSource;
  readonly #resizes: ResizeObserver;
  #cache: PageCache;
  #groups: ReturnType<typeof groupColumns>;
  #frame = 0;
  #jumpTimer: ReturnType<typeof setTimeout> | undefined;
  #settleTimer: ReturnType<typeof setTimeout> | undefined;
  #scrollTop = 0;
  #direction: 1 | -1 = 1;
  #sideways: 1 | -1 = 1;
  #lastTop = 0;
  #lastLeft = 0;

  constructor(elements: GridElements, id: string, source: RowSource, events: GridEvents) {
    this.#elements = elements;
    this.#events = events;
    this.#source = source;
    this.#canvas = new GridCanvas(elements.canvas, id, source.numberLabel ?? 'Row');
    this.#groups = groupColumns(source.columns.peek());
    this.#cache = this.#newCache();
    elements.scroller.addEventListener('scroll', this.#onScroll, { passive: true });
    elements.scroller.addEventListener('wheel', this.#onWheel, { passive: false });
    this.#resizes = new ResizeObserver(() => {
      this.#measure();
      // Before the browser paints: otherwise the new part would be empty for a moment.
      this.#draw();
    });
    this.#resizes.observe(elements.scroller);
    this.showSource();
    this.#measure();
  }

  get isLoading(): boolean {
    return this.#cache.isLoading;
  }

  /** The source has more rows, or its columns are known now. */
  showSource(): void {
    const columns = this.#source.columns.peek();
    if (columns !== this.model.columns) {
      this.#groups = groupColumns(columns);
      this.#cache.close();
      this.#cache = this.#newCache();
      this.#canvas.invalidate();
    }
    this.model.show(columns, this.#source.rowCount.peek(), this.#source.rowNumberMax);
    this.#resizeSpacer();
    this.schedule();
  }

  arrange(options: Parameters<GridModel['arrange']>[0]): void {
    this.model.arrange(options);
    this.#canvas.invalidate();
    this.#resizeSpacer();
    this.schedule();
  }

  select(selection: Selection, reveal = true): void {
    this.model.selection = selection;
    if (reveal) this.model.reveal(selection.head);
    this.#syncScrollBar();
    this.#events.onSelected(selection);
    this.schedule();
  }

  goTo(row: number): void {
    const { place } = this.model.selection.head;
    const target = Math.min(Math.max(row, 0), this.model.rowCount - 1);
    this.model.center(target);
    this.select(selectCell({ row: target, place: Math.max(place, 0) }));
  }

  retry(): void {
    this.#cache.retry();
    this.schedule();
  }

  /** The exact text of a cell that is in a loaded page. */
  loadedText({ row, place }: Cell): string | null | undefined {
    const column = this.model.layout.places[place]?.column;
    if (column === undefined) return undefined;
    return this.#cache.find(row, this.#groups.groupOf[column] ?? 0)?.text(row, column);
  }

  loadedColumnTexts(column: number, rowsMax: number): string[] {
    const { first, end } = this.model.visibleRows();
    const texts: string[] = [];
    for (let row = first; row < Math.min(end, first + rowsMax); row++) {
      const text = this.#cache.find(row, this.#groups.groupOf[column] ?? 0)?.text(row, column);
      if (text != null) texts.push(text);
    }
    return texts;
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#jumpTimer);
    clearTimeout(this.#settleTimer);
    this.#resizes.disconnect();
    this.#cache.close();
    this.#elements.scroller.removeEventListener('scroll', this.#onScroll);
    this.#elements.scroller.removeEventListener('wheel', this.#onWheel);
    this.#elements.canvas.replaceChildren();
  }

  schedule(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw(): void {
    const { model } = this;
    if (model.top !== this.#lastTop) this.#direction = model.top > this.#lastTop ? 1 : -1;
    if (model.left !== this.#lastLeft) this.#sideways = model.left > this.#lastLeft ? 1 : -1;
    const jumped = Math.abs(model.top - this.#lastTop) > this.#cache.pageRows * rowPx;
    this.#lastTop = model.top;
    this.#lastLeft = model.left;
    clearTimeout(this.#jumpTimer);
    if (jumped) this.#jumpTimer = setTimeout(() => this.#request(), jumpDelayMs);
    else this.#request();
    this.hasBlanks = this.#canvas.draw(model, {
      cache: this.#cache,
      groupOf: this.#groups.groupOf,
      marksOf: this.#events.marksOf,
    });
    const active = this.#canvas.activeId(model);
    const grid = this.#elements.scroller;
    if (active === null) grid.removeAttribute('aria-activedescendant');
    else grid.setAttribute('aria-activedescendant', active);
    this.#events.onDrawn();
  }

  #request(): void {
    const { first, end } = this.model.visibleRows();
    const groups = [
      ...new Set(
        this.model
          .visiblePlaces()
          .map((place) => this.#groups.groupOf[this.model.layout.places[place]?.column ?? 0] ?? 0),
      ),
    ];
    const next = (groups.at(this.#sideways === 1 ? -1 : 0) ?? 0) + this.#sideways;
    this.#cache.want(
      wantedPages({
        firstRow: first,
        endRow: end,
        rowCount: this.model.rowCount,
        pageRows: this.#cache.pageRows,
        groups,
        nextGroup: next >= 0 && next < this.#groups.groups.length && !groups.includes(next) ? next : null,
        direction: this.#direction,
        isCostly: this.#source.isCostly ?? false,
      }),
    );
  }

  #newCache(): PageCache {
    return new PageCache({
      source: this.#source,
      groups: this.#groups.groups,
      pageRows: this.#source.pageRows ?? pageRowsDefault,
      ...(this.#source.isCostly ? { requestsMax: 1 } : {}),
      onLoaded: () => this.#onLoaded(),
      onFailed: (error) => {
        this.#events.onFailed(error);
        this.schedule();
      },
    });
  }

  #onLoaded(): void {
    const { first } = this.model.visibleRows();
    const seen = this.model.visiblePlaces().flatMap((place) => {
      const column = this.model.layout.places[place]?.column ?? 0;
      return this.#cache.find(first, this.#groups.groupOf[column] ?? 0) === undefined ? [] : [column];
    });
    if (seen.length > 0) this.#events.onColumnsSeen(seen);
    this.schedule();
  }

  #measure(): void {
    const { clientWidth, clientHeight } = this.#elements.scroller;
    this.model.resize(clientWidth, clientHeight);
    this.#resizeSpacer();
    this.schedule();
  }

  #resizeSpacer(): void {
    const { spacer } = this.#elements;
    spacer.style.height = `${this.model.scroll.spacerPx + headerPx}px`;
    spacer.style.width = `${this.model.layout.totalPx}px`;
    this.#syncScrollBar();
  }

  #syncScrollBar(): void {
    const { scroller } = this.#elements;
    const scrollTop = this.model.scroll.scrollTopOf(this.model.top);
    if (Math.abs(scroller.scrollTop - scrollTop) >= 1) scroller.scrollTop = scrollTop;
    if (Math.abs(scroller.scrollLeft - this.model.left) >= 1) scroller.scrollLeft = this.model.left;
    // Read back: the browser rounds, and the next event is compared with what it made of it.
    this.#scrollTop = scroller.scrollTop;
  }

  readonly #onScroll = (): void => {
    const { scroller } = this.#elements;
    const { model } = this;
    const { scrollTop, scrollLeft } = scroller;
    const top =
      Math.abs(scrollTop - this.#scrollTop) < 1
        ? model.top
        : model.scroll.topAfter(model.top, this.#scrollTop, scrollTop);
    this.#scrollTop = scrollTop;
    model.moveTo(top, Math.abs(scrollLeft - model.left) < 1 ? model.left : scrollLeft);
    if (model.scroll.isCompressed) {
      // A finger has moved rows by pixels, so the bar has come too far. It is put right when the finger rests.
      clearTimeout(this.#settleTimer);
      this.#settleTimer = setTimeout(() => this.#syncScrollBar(), 200);
    }
    this.schedule();
  };

  readonly #onWheel = (event: WheelEvent): void => {
    if (!this.model.scroll.isCompressed || event.ctrlKey || event.deltaY === 0 || event.shiftKey) return;
    event.preventDefault();
    const unitPx = event.deltaMode === 1 ? rowPx : event.deltaMode === 2 ? this.model.bodyPx : 1;
    this.model.moveTo(this.model.top + event.deltaY * unitPx, this.model.left + event.deltaX * unitPx);
    this.#syncScrollBar();
    this.schedule();
  };
}
