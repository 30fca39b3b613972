import type { ColumnType } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { api } from '../server/api.ts';
import { route, setParameters } from '../shell/router.ts';
import { quoteName } from '../sql/sql-names.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNote, isAbort } from '../ui/error-note.tsx';
import { Loading } from '../ui/spinner.tsx';
import { choiceOf, fittingChoice, parametersOf } from './chart-choice.ts';
import type { ChartPoints } from './chart-points.ts';
import { ChartView } from './chart-view.tsx';
import { readChart } from './read-chart.ts';

export interface FrameChartProps {
  /** `name@version`: a chart is of one version. */
  readonly handle: string;
  readonly rows: number;
  readonly columns: readonly ColumnType[];
}

/** A chart of a frame of any size. The server puts its rows into bins; what is chosen is in the address. */
export function FrameChart({ handle, rows, columns }: FrameChartProps) {
  const points = useSignal<ChartPoints | null>(null);
  const failure = useSignal<unknown>(null);
  const attempt = useSignal(0);
  const { parameters } = route.value;
  const wanted = ['chart', 'x', 'y', 'by', 'agg'].map((name) => parameters.get(name)).join('\u0000');
  const choice = useMemo(() => fittingChoice(choiceOf(parameters), columns), [wanted, columns]);
  useEffect(() => {
    if (choice === null) return;
    const abort = new AbortController();
    const types = new Map(columns.map(({ name, type }) => [name, type]));
    const table = { sql: quoteName(handle), rows, typeOf: (name: string) => types.get(name) ?? '' };
    points.value = null;
    failure.value = null;
    readChart(api, table, choice, abort.signal).then(
      (read) => {
        if (!abort.signal.aborted) points.value = read;
      },
      (error: unknown) => {
        if (!isAbort(error) && !abort.signal.aborted) failure.value = error;
      },
    );
    return () => abort.abort();
  }, [handle, rows, choice, attempt.value]);
  if (choice === null)
    return (
      <EmptyState icon="chart" title="Nothing to draw">
        <p class="muted">A chart needs a column of numbers, times or texts.</p>
      </EmptyState>
    );
  return (
    <ChartView
      columns={columns}
      choice={choice}
      points={points.value}
      onChoice={(chosen) => setParameters(parametersOf(chosen))}
    >
      {failure.value !== null ? (
        <ErrorNote error={failure.value} retry={() => (attempt.value += 1)} />
      ) : (
        points.value === null && <Loading label="Reading the frame" />
      )}
    </ChartView>
  );
}
