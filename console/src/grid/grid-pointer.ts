import { columnPxMax, columnPxMin } from './column-layout.ts';
import type { GridController } from './grid-controller.ts';
import type { Cell } from './selection.ts';

export interface PointerEvents {
  readonly onMenu: (place: number) => void;
  readonly onRecord: (row: number) => void;
  readonly onWidth: (column: number, widthPx: number) => void;
  readonly onFit: (column: number) => void;
}

/** Mouse and touch: select, drag a selection, drag the edge of a column. Returns what removes the listeners. */
export function listenToPointer(
  scroller: HTMLElement,
  controller: GridController,
  events: PointerEvents,
): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  const cellOf = (event: MouseEvent): Cell | null => {
    const box = scroller.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    // The scroll bars belong to the element too.
    if (x >= scroller.clientWidth || y >= scroller.clientHeight) return null;
    return controller.model.cellAt(x, y);
  };
  let drag: 'select' | { readonly column: number; readonly startX: number; readonly startPx: number } | null =
    null;

  scroller.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0 || event.pointerType !== 'mouse') return;
      const edge = resizeHandleOf(event);
      if (edge !== null) {
        const place = controller.model.layout.places[edge];
        if (place === undefined) return;
        drag = { column: place.column, startX: event.clientX, startPx: place.width };
        scroller.setPointerCapture(event.pointerId);
        event.preventDefault();
        return;
      }
      const cell = cellOf(event);
      if (cell === null || cell.row < 0) return;
      select(controller, cell, event.shiftKey);
      if (cell.place < 0) return;
      drag = 'select';
      scroller.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  scroller.addEventListener(
    'pointermove',
    (event) => {
      if (drag === null) return;
      if (drag !== 'select') {
        const width = drag.startPx + event.clientX - drag.startX;
        events.onWidth(drag.column, Math.min(Math.max(width, columnPxMin), columnPxMax));
        return;
      }
      const cell = cellOf(event);
      if (cell !== null && cell.row >= 0 && cell.place >= 0) select(controller, cell, true);
    },
    { signal },
  );
  const endDrag = () => {
    drag = null;
  };
  scroller.addEventListener('pointerup', endDrag, { signal });
  scroller.addEventListener('pointercancel', endDrag, { signal });
  scroller.addEventListener(
    'click',
    (event) => {
      const cell = cellOf(event);
      if (cell === null) return;
      if (cell.row === -1) {
        if (cell.place >= 0 && resizeHandleOf(event) === null) events.onMenu(cell.place);
        return;
      }
      if ((event as PointerEvent).pointerType !== 'mouse') select(controller, cell, event.shiftKey);
    },
    { signal },
  );
  scroller.addEventListener(
    'contextmenu',
    (event) => {
      const cell = cellOf(event);
      if (cell === null || cell.row !== -1 || cell.place < 0) return;
      event.preventDefault();
      events.onMenu(cell.place);
    },
    { signal },
  );
  scroller.addEventListener(
    'dblclick',
    (event) => {
      const edge = resizeHandleOf(event);
      const place = edge === null ? undefined : controller.model.layout.places[edge];
      if (place !== undefined) {
        events.onFit(place.column);
        return;
      }
      const cell = cellOf(event);
      if (cell !== null && cell.row >= 0) events.onRecord(cell.row);
    },
    { signal },
  );
  return () => listening.abort();
}

function select(controller: GridController, cell: Cell, isExtending: boolean): void {
  const { selection, layout } = controller.model;
  if (cell.place < 0) {
    // The number of a row selects all of it.
    const last = layout.places.length - 1;
    const from = isExtending && selection.anchor.row >= 0 ? selection.anchor.row : cell.row;
    controller.select({ anchor: { row: from, place: last }, head: { row: cell.row, place: 0 } }, false);
    return;
  }
  const anchor = isExtending && selection.anchor.row >= 0 ? selection.anchor : cell;
  controller.select({ anchor, head: cell });
}

/** The place whose right edge is under the pointer. */
function resizeHandleOf(event: MouseEvent): number | null {
  const target = event.target;
  if (!(target instanceof HTMLElement) || !target.classList.contains('grid-resize')) return null;
  return Number(target.parentElement?.dataset.place);
}
