import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { operatorLabels } from '../../grid/column-menu.tsx';
import { frameRows } from '../../grid/frame-rows.ts';
import { Grid } from '../../grid/grid.tsx';
import type { ColumnDescription, GridColumn, RowSource } from '../../grid/row-source.ts';
import { needsSql, sqlRows } from '../../grid/sql-rows.ts';
import { type GridView, plainView, readView, writeView } from '../../grid/view-state.ts';
import { api } from '../../server/api.ts';
import type { Route } from '../../shell/route.ts';
import { href, navigate, setParameters } from '../../shell/router.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/spinner.tsx';
import type { FrameState } from './frame-state.ts';

/** The address changes when the reader rests, not with each step: browsers limit how often it may. */
const addressDelayMs = 300;

/** The rows. How they are shown (order, filters, columns, the active row) is in the address. */
export function RowsTab({ frame, route }: { readonly frame: FrameState; readonly route: Route }) {
  const view = useSignal<GridView>(readView(route.parameters));
  const activeRow = useSignal<number | null>(rowOf(route.parameters.get('row')));
  const stored = useMemo(() => frameRows(api, frame.manifest), [frame]);
  const source = useRowSource(frame, stored, view);

  useEffect(() => {
    // The back button, or a link to the same frame in another order.
    const asked = readView(route.parameters);
    if (JSON.stringify(asked) !== JSON.stringify(view.peek())) view.value = asked;
  }, [route.parameters]);
  useEffect(() => {
    setParameters(writeView(view.value));
  }, [view.value]);
  useEffect(() => {
    if (activeRow.value === null) return;
    const row = String(activeRow.value + 1);
    const timer = setTimeout(() => setParameters({ row }), addressDelayMs);
    return () => clearTimeout(timer);
  }, [activeRow.value]);
  useEffect(() => {
    // For the column menu. Without it the grid works, but cannot be sorted.
    frame.loadSqlColumns().catch(() => undefined);
  }, [frame]);

  const describe = (column: GridColumn) => describeColumn(frame, column);
  // The description of columns arrives later than the rows.
  frame.sqlColumns.value;
  frame.statistics.value;
  return (
    <div class="rows-tab">
      <ViewBar view={view} />
      {source.kind === 'failed' ? (
        <div class="frame-note">
          <ErrorNote error={source.error} />
          <Button
            onClick={() => {
              view.value = { ...view.peek(), sort: [], filters: [] };
            }}
          >
            Show all rows
          </Button>
        </div>
      ) : source.kind === 'loading' ? (
        <Loading label="Counting the rows" />
      ) : (
        <Grid
          key={source.id}
          source={source.rows}
          label={`Rows of ${frame.manifest.handle}`}
          view={view}
          describe={describe}
          onStatistics={({ name }) => navigate(href('frames', route.handle, 'statistics', { column: name }))}
          activeRow={activeRow}
        />
      )}
    </div>
  );
}

type LoadedSource =
  | { readonly kind: 'rows'; readonly rows: RowSource; readonly id: string }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Stored rows as they are; sorted or filtered ones by SQL, as soon as they are counted. */
function useRowSource(frame: FrameState, stored: RowSource, view: Signal<GridView>): LoadedSource {
  const { sort, filters } = view.value;
  const query = needsSql(view.value) ? JSON.stringify([sort, filters]) : '';
  const loaded = useSignal<{ readonly query: string; readonly source: LoadedSource } | null>(null);
  useEffect(() => {
    if (query === '') return;
    const request = new AbortController();
    frame
      .loadSqlColumns()
      .then((columns) => sqlRows(api, frame.manifest, columns, view.peek(), request.signal))
      .then((rows) => {
        if (!request.signal.aborted) loaded.value = { query, source: { kind: 'rows', rows, id: query } };
      })
      .catch((error) => {
        if (!request.signal.aborted) loaded.value = { query, source: { kind: 'failed', error } };
      });
    return () => request.abort();
  }, [query, frame]);
  if (query === '') return { kind: 'rows', rows: stored, id: '' };
  return loaded.value?.query === query ? loaded.value.source : { kind: 'loading' };
}

/** What the view leaves out or changes, so that nobody takes some rows for all of them. */
function ViewBar({ view }: { readonly view: Signal<GridView> }) {
  const { sort, filters } = view.value;
  if (sort.length === 0 && filters.length === 0) return null;
  return (
    <div class="view-bar">
      {filters.map((filter) => (
        <Chip
          key={`${filter.column}/${filter.operator}`}
          icon="filter"
          text={`${filter.column} ${operatorLabels[filter.operator]} ${filter.values.join(', ')}`.trim()}
          label={`Remove the filter of ${filter.column}`}
          onRemove={() => {
            view.value = { ...view.peek(), filters: filters.filter((each) => each !== filter) };
          }}
        />
      ))}
      {sort.map((key) => (
        <Chip
          key={key.column}
          icon={key.isDescending ? 'sort_down' : 'sort_up'}
          text={key.column}
          label={`Remove the sort order by ${key.column}`}
          onRemove={() => {
            view.value = { ...view.peek(), sort: sort.filter((each) => each !== key) };
          }}
        />
      ))}
      <Button
        kind="quiet"
        onClick={() => {
          view.value = { ...plainView, hidden: view.peek().hidden, frozen: view.peek().frozen };
        }}
      >
        Clear
      </Button>
    </div>
  );
}

function Chip({
  icon,
  text,
  label,
  onRemove,
}: {
  readonly icon: 'filter' | 'sort_down' | 'sort_up';
  readonly text: string;
  readonly label: string;
  readonly onRemove: () => void;
}) {
  return (
    <span class="chip">
      <Icon name={icon} size={13} />
      <span class="clip mono" title={text}>
        {text}
      </span>
      <IconButton icon="close" label={label} onClick={onRemove} />
    </span>
  );
}

function describeColumn(frame: FrameState, { name, type }: GridColumn): ColumnDescription | null {
  const sql = frame.sqlColumns.peek();
  const statistics = frame.statistics.peek()?.find((column) => column.name === name);
  const lines = [name, type.toLowerCase()];
  if (statistics !== undefined) {
    if (statistics.nulls !== null) lines.push(`${statistics.nulls.toLocaleString('en')} nulls`);
    if (statistics.min !== null) lines.push(`${statistics.min} – ${statistics.max}`);
  }
  if (sql === null && statistics === undefined) return null;
  return {
    sqlType: sql?.columns.find((column) => column?.name === name)?.sqlType ?? null,
    topValues:
      statistics?.histogram?.kind === 'values' ? statistics.histogram.values.map(({ value }) => value) : [],
    ...(statistics === undefined
      ? { loadTopValues: () => void frame.loadStatistics().catch(() => undefined) }
      : {}),
    hint: lines.join('\n'),
  };
}

/** From 1 in the address, as people count. */
function rowOf(text: string | null): number | null {
  const row = Number(text);
  return text !== null && Number.isSafeInteger(row) && row >= 1 ? row - 1 : null;
}
