import { useMemo } from 'preact/hooks';
import type { ResultRows } from '../screens/query/result-rows.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { type ChartChoice, fittingChoice } from './chart-choice.ts';
import { ChartView } from './chart-view.tsx';
import { pointsOfRows } from './points-of-rows.ts';

export interface ResultChartProps {
  readonly rows: ResultRows;
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
    const shown = { columns, rowCount: rows.rowCount.peek(), text: rows.text.bind(rows) };
    return pointsOfRows(shown, chosen, isComplete ? [] : ['rows are still arriving']);
  }, [rows, chosen, isComplete]);
  if (chosen === null)
    return (
      <EmptyState icon="status" title="Nothing to draw">
        <p class="muted">A chart needs a column of numbers, times or texts.</p>
      </EmptyState>
    );
  return <ChartView columns={columns} choice={chosen} points={points} onChoice={onChoice} />;
}
