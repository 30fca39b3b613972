import { blankCell, type ShownCell, shownCell } from './cell-style.ts';
import { isNumeric, type Place } from './column-layout.ts';
import { type GridModel, headerPx, rowPx } from './grid-model.ts';
import type { PageCache } from './page-cache.ts';
import type { GridColumn } from './row-source.ts';
import { contains, type Rectangle, rectangleOf } from './selection.ts';

export interface HeaderMarks {
  readonly sort: 'ascending' | 'descending' | null;
  readonly isFiltered: boolean;
  readonly hint: string;
}

export interface CanvasContent {
  readonly cache: PageCache;
  readonly groupOf: readonly number[];
  readonly marksOf: (column: GridColumn) => HeaderMarks;
}

interface CellElement {
  readonly element: HTMLElement;
  shown: ShownCell;
  state: string;
}

interface RowElement {
  readonly element: HTMLElement;
  readonly gutter: HTMLElement;
  readonly cells: CellElement[];
  row: number;
  layoutKey: string;
  isWhole: boolean;
}

/**
 * Draws the rows in view into elements that are used again: a row that leaves at one end comes back at the other. What has not changed
 * is not touched. Only texts and positions are set, never markup.
 */
export class GridCanvas {
  readonly #element: HTMLElement;
  readonly #id: string;
  readonly #header: HTMLElement;
  readonly #body: HTMLElement;
  readonly #headerCells: HTMLElement[] = [];
  readonly #rows: RowElement[] = [];
  #headerKey = '';
  /** Changes whenever the cells of rows have to be drawn again, although rows and columns are the same. */
  #contentId = 0;

  constructor(element: HTMLElement, id: string, numberLabel: string) {
    this.#element = element;
    this.#id = id;
    this.#header = part('grid-header', 'row');
    this.#header.setAttribute('aria-rowindex', '1');
    this.#body = part('grid-body', 'rowgroup');
    const headerGroup = part('grid-header-group', 'rowgroup');
    headerGroup.append(this.#header);
    const corner = part('grid-corner', 'columnheader');
    corner.setAttribute('aria-colindex', '1');
    corner.textContent = numberLabel;
    this.#header.append(corner);
    element.append(headerGroup, this.#body);
  }

  /** The cells have other contents now: another source, another order. */
  invalidate(): void {
    this.#contentId++;
    this.#headerKey = '';
  }

  /** Returns whether a cell in view has no content yet. */
  draw(model: GridModel, content: CanvasContent): boolean {
    const places = model.visiblePlaces();
    this.#element.style.width = `${model.widthPx}px`;
    this.#element.style.height = `${model.bodyPx + headerPx}px`;
    this.#drawHeader(model, places, content);
    return this.#drawBody(model, places, content);
  }

  /** The id of the element of the active cell, if it is drawn. */
  activeId(model: GridModel): string | null {
    const { row, place } = model.selection.head;
    if (!model.visiblePlaces().includes(place)) return null;
    const { first, end } = model.visibleRows();
    if (row === -1) return `${this.#id}-header-${place}`;
    return row >= first && row < end ? `${this.#id}-${row}-${place}` : null;
  }

  #drawHeader(model: GridModel, places: readonly number[], content: CanvasContent): void {
    const { head } = model.selection;
    const key = `${this.#contentId}/${model.layoutId}/${model.left}/${head.row === -1 ? head.place : ''}`;
    if (key === this.#headerKey) return;
    this.#headerKey = key;
    const corner = this.#header.firstElementChild as HTMLElement;
    corner.style.width = `${model.layout.gutterPx}px`;
    for (const [index, place] of places.entries()) {
      const cell = this.#headerCells[index] ?? this.#addHeaderCell();
      const { column, width, isFrozen } = model.layout.places[place] as Place;
      const { name, type } = model.columns[column] as GridColumn;
      const marks = content.marksOf(model.columns[column] as GridColumn);
      const [title, kind] = cell.children as unknown as [HTMLElement, HTMLElement];
      title.textContent = name === '' ? '(no name)' : name;
      kind.textContent = type.toLowerCase();
      cell.id = `${this.#id}-header-${place}`;
      cell.className = [
        'grid-column',
        isFrozen ? 'is-frozen' : '',
        isNumeric(type) ? 'is-number' : '',
        marks.isFiltered ? 'is-filtered' : '',
        marks.sort === null ? '' : `is-${marks.sort}`,
        head.row === -1 && head.place === place ? 'is-active' : '',
      ].join(' ');
      cell.title = marks.hint;
      cell.setAttribute('aria-colindex', String(place + 2));
      cell.setAttribute('aria-sort', marks.sort ?? 'none');
      cell.hidden = false;
      cell.dataset.place = String(place);
      cell.style.width = `${width}px`;
      cell.style.transform = `translateX(${model.xOf(place)}px)`;
    }
    for (const cell of this.#headerCells.slice(places.length)) cell.hidden = true;
  }

  #addHeaderCell(): HTMLElement {
    const cell = part('grid-column', 'columnheader');
    const title = part('grid-column-name');
    const kind = part('grid-column-type');
    const handle = part('grid-resize');
    cell.append(title, kind, handle);
    this.#header.append(cell);
    this.#headerCells.push(cell);
    return cell;
  }

  #drawBody(model: GridModel, places: readonly number[], content: CanvasContent): boolean {
    const { first, end } = model.visibleRows();
    const rectangle = rectangleOf(model.selection);
    const count = Math.ceil(model.bodyPx / rowPx) + 1;
    while (this.#rows.length < count) this.#addRow();
    while (this.#rows.length > count) this.#rows.pop()?.element.remove();
    const layoutKey = `${this.#contentId}/${model.layoutId}/${model.left}`;
    let hasBlanks = false;
    for (let index = 0; index < count; index++) {
      const row = first + index;
      const drawn = this.#rows[row % count] as RowElement;
      drawn.element.hidden = row >= end;
      if (row >= end) {
        drawn.row = -1;
        continue;
      }
      drawn.element.style.transform = `translateY(${row * rowPx - model.top}px)`;
      if (drawn.row !== row || drawn.layoutKey !== layoutKey || !drawn.isWhole) {
        this.#fill(drawn, row, model, places, content, layoutKey);
      }
      this.#markSelected(drawn, model, places, rectangle);
      hasBlanks ||= !drawn.isWhole;
    }
    return hasBlanks;
  }

  #fill(
    drawn: RowElement,
    row: number,
    model: GridModel,
    places: readonly number[],
    content: CanvasContent,
    layoutKey: string,
  ): void {
    const isPlaced = drawn.layoutKey === layoutKey;
    drawn.isWhole = true;
    let rowNumber: bigint | number = row;
    for (const [index, place] of places.entries()) {
      const cell = drawn.cells[index] ?? addCell(drawn);
      const { column, width, isFrozen } = model.layout.places[place] as Place;
      const window = content.cache.find(row, content.groupOf[column] ?? 0);
      const isNumber = isNumeric(model.columns[column]?.type ?? '');
      const shown = window === undefined ? blankCell : shownCell(window.text(row, column), isNumber);
      if (window === undefined) drawn.isWhole = false;
      else rowNumber = window.rowNumber?.(row) ?? row;
      if (cell.shown.text !== shown.text) cell.element.textContent = shown.text;
      cell.shown = shown;
      cell.element.id = `${this.#id}-${row}-${place}`;
      if (isPlaced) continue;
      cell.element.hidden = false;
      cell.element.style.width = `${width}px`;
      cell.element.style.transform = `translateX(${model.xOf(place)}px)`;
      cell.element.classList.toggle('is-frozen', isFrozen);
      cell.element.setAttribute('aria-colindex', String(place + 2));
      cell.state = '';
    }
    for (const cell of drawn.cells.slice(places.length)) cell.element.hidden = true;
    if (!isPlaced) drawn.gutter.style.width = `${model.layout.gutterPx}px`;
    drawn.gutter.textContent = (BigInt(rowNumber) + 1n).toLocaleString('en');
    drawn.element.setAttribute('aria-rowindex', String(row + 2));
    drawn.row = row;
    drawn.layoutKey = layoutKey;
  }

  #markSelected(drawn: RowElement, model: GridModel, places: readonly number[], rectangle: Rectangle): void {
    const { head } = model.selection;
    const isRange = rectangle.firstRow !== rectangle.lastRow || rectangle.firstPlace !== rectangle.lastPlace;
    for (const [index, place] of places.entries()) {
      const cell = drawn.cells[index];
      if (cell === undefined) continue;
      const isActive = head.row === drawn.row && head.place === place;
      const isSelected = contains(rectangle, drawn.row, place);
      const state = [
        cell.shown.className,
        model.layout.places[place]?.isFrozen ? 'is-frozen' : '',
        isSelected && isRange ? 'is-selected' : '',
        isActive ? 'is-active' : '',
      ].join(' ');
      if (state === cell.state) continue;
      cell.state = state;
      cell.element.className = state;
      cell.element.setAttribute('aria-selected', String(isSelected));
    }
    drawn.gutter.classList.toggle(
      'is-selected',
      drawn.row >= rectangle.firstRow && drawn.row <= rectangle.lastRow,
    );
  }

  #addRow(): void {
    const element = part('grid-row', 'row');
    const gutter = part('grid-gutter', 'rowheader');
    gutter.setAttribute('aria-colindex', '1');
    element.append(gutter);
    this.#body.append(element);
    this.#rows.push({ element, gutter, cells: [], row: -1, layoutKey: '', isWhole: false });
  }
}

function addCell(row: RowElement): CellElement {
  const cell = { element: part('grid-cell', 'gridcell'), shown: blankCell, state: '' };
  row.element.append(cell.element);
  row.cells.push(cell);
  return cell;
}

function part(className: string, role?: string): HTMLElement {
  const element = document.createElement('div');
  element.className = className;
  if (role !== undefined) element.setAttribute('role', role);
  return element;
}
