import type { ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { EmptyState } from '../ui/empty-state.tsx';
import { type ChartChoice, type ChartColumn, fittingChoice } from './chart-choice.ts';
import { ChartView } from './chart-view.tsx';
import { pointsOfRows } from './points-of-rows.ts';

/** Rows in memory, more of which may arrive. */
interface ArrivingRows {
  readonly columns: ReadonlySignal<readonly ChartColumn[]>;
  readonly rowCount: ReadonlySignal<number>;
  readonly isComplete: ReadonlySignal<boolean>;
  text(row: number, column: number): string | null;
}

export interface ResultChartProps {
  readonly rows: ArrivingRows;
  readonly choice: ChartChoice | null;
  readonly onChoice: (choice: ChartChoice) => void;
}

/** A chart of a result: its rows are here, and are drawn as they are. */
export function ResultChart({ rows, choice, onChoice }: ResultChartProps) {
  const columns = rows.columns.value;
  // Drawn once the rows have arrived, and not at every batch.
  const isComplete = rows.isComplete.value;
  const chosen = useMemo(() => fittingChoice(choice, columns), [choice, columns]);
  const points = useMemo(() => {
    if (chosen === null) return null;
    const shown = {
      columns,
      rowCount: rows.rowCount.peek(),
      text: (row: number, column: number) => rows.text(row, column),
    };
    return pointsOfRows(shown, chosen, isComplete ? [] : ['rows are still arriving']);
  }, [rows, chosen, isComplete]);
  if (chosen === null)
    return (
      <EmptyState icon="chart" title="Nothing to draw">
        <p class="muted">A chart needs a column of numbers, times or texts.</p>
      </EmptyState>
    );
  return <ChartView columns={columns} choice={chosen} points={points} onChoice={onChoice} />;
}
