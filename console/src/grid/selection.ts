/** A cell by its row and the place of its column among the shown ones. Row -1 is the header. */
export interface Cell {
  readonly row: number;
  readonly place: number;
}

/** A rectangle between two corners. The keyboard moves `head`, which is also the active cell. */
export interface Selection {
  readonly anchor: Cell;
  readonly head: Cell;
}

export interface Rectangle {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstPlace: number;
  readonly lastPlace: number;
}

export function selectCell(cell: Cell): Selection {
  return { anchor: cell, head: cell };
}

export function rectangleOf({ anchor, head }: Selection): Rectangle {
  return {
    firstRow: Math.min(anchor.row, head.row),
    lastRow: Math.max(anchor.row, head.row),
    firstPlace: Math.min(anchor.place, head.place),
    lastPlace: Math.max(anchor.place, head.place),
  };
}

export function contains(rectangle: Rectangle, row: number, place: number): boolean {
  return (
    row >= rectangle.firstRow &&
    row <= rectangle.lastRow &&
    place >= rectangle.firstPlace &&
    place <= rectangle.lastPlace
  );
}

export interface Extent {
  readonly rowCount: number;
  readonly placeCount: number;
  /** Rows that fit on the screen. */
  readonly pageRows: number;
}

export interface KeyPress {
  readonly key: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
}

/** The selection after a key that moves or extends it; null for any other key. */
export function moveSelection(selection: Selection, press: KeyPress, extent: Extent): Selection | null {
  const lastPlace = extent.placeCount - 1;
  if (press.key === 'a' && press.ctrl) {
    if (extent.rowCount === 0) return selection;
    return { anchor: { row: extent.rowCount - 1, place: lastPlace }, head: { row: 0, place: 0 } };
  }
  const { row, place } = selection.head;
  if (press.key === ' ' && press.shift) {
    return { anchor: { row: selection.anchor.row, place: lastPlace }, head: { row, place: 0 } };
  }
  if (press.key === ' ' && press.ctrl) {
    return { anchor: { row: extent.rowCount - 1, place: selection.anchor.place }, head: { row: 0, place } };
  }
  const moved = moveCell(selection.head, press, extent);
  if (moved === null) return null;
  // A selection of cells does not reach into the header.
  const firstRow = press.shift || extent.placeCount === 0 ? 0 : -1;
  const head = {
    row: Math.min(Math.max(moved.row, firstRow), extent.rowCount - 1),
    place: Math.min(Math.max(moved.place, 0), lastPlace),
  };
  return press.shift && selection.anchor.row >= 0 ? { anchor: selection.anchor, head } : selectCell(head);
}

function moveCell({ row, place }: Cell, { key, ctrl }: KeyPress, extent: Extent): Cell | null {
  const lastRow = extent.rowCount - 1;
  const lastPlace = extent.placeCount - 1;
  switch (key) {
    case 'ArrowUp':
      return { row: ctrl ? 0 : row - 1, place };
    case 'ArrowDown':
      return { row: ctrl ? lastRow : row + 1, place };
    case 'ArrowLeft':
      return { row, place: ctrl ? 0 : place - 1 };
    case 'ArrowRight':
      return { row, place: ctrl ? lastPlace : place + 1 };
    case 'PageUp':
      return { row: Math.max(row - extent.pageRows, 0), place };
    case 'PageDown':
      return { row: row + extent.pageRows, place };
    case 'Home':
      return { row: ctrl ? 0 : row, place: 0 };
    case 'End':
      return { row: ctrl ? lastRow : row, place: lastPlace };
    default:
      return null;
  }
}
