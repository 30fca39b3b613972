import './grid.css';
import { type ReadonlySignal, type Signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useKeys } from '../shell/keys.ts';
import { copyText } from '../ui/copy-button.tsx';
import { ErrorNote, isAbort } from '../ui/error-note.tsx';
import { toast } from '../ui/toast.tsx';
import { fittedWidth } from './column-layout.ts';
import { ColumnMenu } from './column-menu.tsx';
import { copySelection } from './copy-selection.ts';
import { GridController, type GridStatus } from './grid-controller.ts';
import { GridFooter } from './grid-footer.tsx';
import { listenToPointer } from './grid-pointer.ts';
import { RecordPanel } from './record-panel.tsx';
import type { ColumnDescription, GridColumn, RowSource } from './row-source.ts';
import { moveSelection, rectangleOf, selectCell } from './selection.ts';
import { type GridView, plainView } from './view-state.ts';

export interface GridProps {
  readonly source: RowSource;
  /** What the rows are, for screen readers. */
  readonly label: string;
  /** Sort order, filters, hidden and frozen columns. Without it the grid keeps its own, and offers neither sorting nor filters. */
  readonly view?: Signal<GridView>;
  /** For filters: the SQL type of a column and its most frequent values, if they are known. */
  readonly describe?: (column: GridColumn) => ColumnDescription | null;
  readonly onStatistics?: (column: GridColumn) => void;
  /** The active row, from 0: read once at the start, and written as the reader moves. */
  readonly activeRow?: Signal<number | null>;
}

const gridKeys = [
  { keys: '↑ ↓ ← →', label: 'Move; with Shift select' },
  { keys: 'PageUp', label: 'A screen up; PageDown a screen down' },
  { keys: 'Ctrl+Home', label: 'First row; Ctrl+End last row' },
  { keys: 'g', label: 'Go to a row' },
  { keys: 'Enter', label: 'Show one record; on a header, its menu' },
  { keys: 'Ctrl+C', label: 'Copy; with Shift also the names of the columns' },
  { keys: 'Ctrl+A', label: 'Select everything' },
];

/** Rows of any number in a window that scrolls. It has one tab stop; keys move the active cell. */
export function Grid({ source, label, view, describe, onStatistics, activeRow }: GridProps) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const controller = useRef<GridController | null>(null);
  const ownView = useSignal<GridView>(plainView);
  const shownView = view ?? ownView;
  const widths = useSignal<ReadonlyMap<string, number>>(new Map());
  const resized = useRef(new Set<string>());
  const status = useSignal<GridStatus | null>(null);
  const failure = useSignal<unknown>(null);
  const menu = useSignal<{ readonly place: number; readonly anchor: DOMRect } | null>(null);
  const record = useSignal<number | null>(null);
  const isGoingTo = useSignal(false);
  const described = useRef(describe);
  described.current = describe;
  useKeys('Grid', gridKeys);

  /** Columns grow with what they show and never shrink by themselves; the reader's own width stays. */
  const fit = (columns: readonly number[], isAsked: boolean) => {
    const changed = new Map(widths.peek());
    for (const column of columns) {
      const shown = source.columns.peek()[column];
      if (shown === undefined || (!isAsked && resized.current.has(shown.name))) continue;
      const texts = controller.current?.loadedColumnTexts(column, 60) ?? [];
      const longest = texts.reduce((most, text) => Math.max(most, text.length), 0);
      const width = fittedWidth(shown, longest, isAsked);
      if (isAsked || width > (changed.get(shown.name) ?? 0)) changed.set(shown.name, width);
    }
    if (!isSameMap(changed, widths.peek())) widths.value = changed;
  };

  useLayoutEffect(() => {
    if (scroller.current === null || spacer.current === null || canvas.current === null) return;
    const element = scroller.current;
    const made: GridController = new GridController(
      { scroller: element, spacer: spacer.current, canvas: canvas.current },
      id,
      source,
      {
        onDrawn: () => {
          const { first, end } = made.model.visibleRows();
          const next = {
            firstRow: first,
            endRow: end,
            hasBlanks: made.hasBlanks,
            selection: made.model.selection,
          };
          if (!isSameStatus(status.peek(), next)) status.value = next;
        },
        onSelected: ({ head }) => {
          if (activeRow !== undefined && head.row >= 0) activeRow.value = head.row;
          if (record.peek() !== null && head.row >= 0) record.value = head.row;
        },
        onFailed: (error) => {
          failure.value = error;
        },
        onColumnsSeen: (columns) => fit(columns, false),
        marksOf: (column) => {
          const { sort, filters } = shownView.peek();
          const key = sort.find((each) => each.column === column.name);
          return {
            sort: key === undefined ? null : key.isDescending ? 'descending' : 'ascending',
            isFiltered: filters.some((filter) => filter.column === column.name),
            hint: described.current?.(column)?.hint ?? `${column.name}\n${column.type}`,
          };
        },
      },
    );
    controller.current = made;
    failure.value = null;
    const removePointer = listenToPointer(element, made, {
      onMenu: (place) => openMenu(place),
      onRecord: (row) => {
        record.value = row;
      },
      onWidth: (column, widthPx) => {
        const { name } = source.columns.peek()[column] as GridColumn;
        resized.current.add(name);
        widths.value = new Map(widths.peek()).set(name, widthPx);
      },
      onFit: (column) => fit([column], true),
    });
    const start = activeRow?.peek() ?? null;
    if (start !== null && start < made.model.rowCount) made.goTo(start);
    return () => {
      removePointer();
      made.close();
      controller.current = null;
    };
  }, [source]);

  useSignalEffect(() => {
    const { hidden, frozen } = shownView.value;
    controller.current?.arrange({ hidden: new Set(hidden), frozen, widths: widths.value });
  });
  useEffect(
    () =>
      subscribeAll([source.columns, source.rowCount, source.isComplete], () =>
        controller.current?.showSource(),
      ),
    [source],
  );

  const openMenu = (place: number) => {
    const made = controller.current;
    const box = scroller.current?.getBoundingClientRect();
    if (made === null || box === undefined) return;
    made.select(selectCell({ row: -1, place }));
    const width = made.model.layout.places[place]?.width ?? 0;
    menu.value = { place, anchor: new DOMRect(box.left + made.model.xOf(place), box.top, width, 44) };
  };

  const copy = async (withHeader: boolean) => {
    const made = controller.current;
    if (made === null) return;
    try {
      const copied = await copySelection(
        source,
        made.model.layout,
        rectangleOf(made.model.selection),
        withHeader,
        // Nobody waits longer for a clipboard, and browsers allow writing to it only soon after the key.
        AbortSignal.timeout(10_000),
      );
      if (copied.kind === 'null') toast({ text: 'The cell is null: there is no text to copy.' });
      else if (copied.kind === 'too_many')
        toast({
          kind: 'error',
          text: `${copied.cells.toLocaleString('en')} cells are too many to copy.`,
          detail: 'Select at most a million, or download the rows.',
        });
      else if (copied.kind === 'text' && (await copyText(copied.text)) && copied.cells > 1)
        toast({ kind: 'ok', text: `${copied.cells.toLocaleString('en')} cells copied.`, durationMs: 2000 });
    } catch (error) {
      if (!isAbort(error)) failure.value = error;
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const made = controller.current;
    if (made === null || event.target !== scroller.current || event.altKey) return;
    const ctrl = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const { row, place } = made.model.selection.head;
    if (ctrl && key === 'c') void copy(event.shiftKey);
    else if (!ctrl && key === 'g') isGoingTo.value = true;
    else if ((key === 'Enter' && row === -1) || key === 'ContextMenu' || (key === 'F10' && event.shiftKey))
      openMenu(place);
    else if (key === 'Enter' && row >= 0 && row < made.model.rowCount) record.value = row;
    else if (key === 'Escape' && record.peek() !== null) record.value = null;
    else {
      const { model } = made;
      const moved = moveSelection(
        model.selection,
        { key, ctrl, shift: event.shiftKey },
        { rowCount: model.rowCount, placeCount: model.layout.places.length, pageRows: model.pageRows },
      );
      if (moved === null) return;
      made.select(moved, key !== 'a' && key !== ' ');
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const rowCount = useComputed(() => source.rowCount.value);
  const columnCount = useComputed(() => source.columns.value.length - shownView.value.hidden.length);
  return (
    <div class="grid-frame">
      <div class="grid-main">
        {failure.value !== null && (
          <div class="grid-failure">
            <ErrorNote
              error={failure.value}
              retry={() => {
                failure.value = null;
                controller.current?.retry();
              }}
            />
          </div>
        )}
        <div
          ref={scroller}
          class="grid"
          role="grid"
          tabIndex={0}
          aria-label={label}
          aria-rowcount={source.isComplete.value ? rowCount.value + 1 : -1}
          aria-colcount={columnCount.value + 1}
          aria-multiselectable="true"
          onKeyDown={onKeyDown}
        >
          <div ref={spacer} class="grid-spacer" role="presentation">
            <div ref={canvas} class="grid-canvas" role="presentation" />
          </div>
        </div>
        {source.isComplete.value && rowCount.value === 0 && (
          <p class="grid-empty muted">
            {shownView.value.filters.length > 0 ? 'No row matches the filters.' : 'There are no rows.'}
          </p>
        )}
        <GridFooter
          status={status}
          source={source}
          view={shownView}
          isGoingTo={isGoingTo}
          onGoTo={(row) => {
            controller.current?.goTo(row);
            scroller.current?.focus();
          }}
        />
      </div>
      {record.value !== null && (
        <RecordPanel
          source={source}
          row={record.value}
          onRow={(row) => {
            record.value = row;
            controller.current?.goTo(row);
          }}
          onClose={() => {
            record.value = null;
            scroller.current?.focus();
          }}
        />
      )}
      {menu.value !== null && (
        <ColumnMenu
          anchor={menu.value.anchor}
          column={columnAt(controller.current, source, menu.value.place)}
          description={describe?.(columnAt(controller.current, source, menu.value.place)) ?? null}
          view={shownView}
          canQuery={view !== undefined}
          onStatistics={onStatistics}
          onFit={() => fit([columnIndexAt(controller.current, menu.peek()?.place ?? 0)], true)}
          onClose={() => {
            menu.value = null;
            scroller.current?.focus();
          }}
        />
      )}
    </div>
  );
}

function columnIndexAt(controller: GridController | null, place: number): number {
  return controller?.model.layout.places[place]?.column ?? 0;
}

function columnAt(controller: GridController | null, source: RowSource, place: number): GridColumn {
  return source.columns.peek()[columnIndexAt(controller, place)] ?? { name: '', type: '' };
}

function subscribeAll(signals: readonly ReadonlySignal<unknown>[], changed: () => void): () => void {
  const ends = signals.map((each) => each.subscribe(changed));
  return () => {
    for (const end of ends) end();
  };
}

function isSameMap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([name, width]) => b.get(name) === width);
}

function isSameStatus(a: GridStatus | null, b: GridStatus): boolean {
  return (
    a !== null &&
    a.firstRow === b.firstRow &&
    a.endRow === b.endRow &&
    a.hasBlanks === b.hasBlanks &&
    a.selection === b.selection
  );
}
