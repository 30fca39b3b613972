import './chart.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { isDark } from '../shell/theme.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { ChartChoice, ChartColumn } from './chart-choice.ts';
import { ChartControls } from './chart-controls.tsx';
import { ChartPlot, SeriesMark } from './chart-plot.tsx';
import type { ChartPoints } from './chart-points.ts';
import { ChartTable } from './chart-table.tsx';

/** Controls, legend, drawing and table of a chart. */
export function ChartView({
  columns,
  choice,
  points,
  onChoice,
  children,
}: {
  readonly columns: readonly ChartColumn[];
  readonly choice: ChartChoice;
  readonly points: ChartPoints | null;
  readonly onChoice: (choice: ChartChoice) => void;
  /** Shown instead of the drawing: that it is being read, or an error. */
  readonly children?: ComponentChildren;
}) {
  const isTable = useSignal(false);
  const isEmpty = points !== null && points.x.length === 0;
  return (
    <div class="chart">
      <ChartControls columns={columns} choice={choice} onChoice={onChoice} />
      <div class="chart-legend">
        {points !== null && !isEmpty && (
          <ul>
            {points.series.map((series, index) => (
              <li key={series.name}>
                <SeriesMark index={index} dark={isDark()} />
                <span class="clip" title={series.name}>
                  {series.name}
                </span>
              </li>
            ))}
          </ul>
        )}
        <p class="chart-notes muted">{points?.notes.join(' · ')}</p>
        {points !== null && !isEmpty && (
          <Button
            kind="quiet"
            icon="frames"
            aria-pressed={isTable.value}
            onClick={() => {
              isTable.value = !isTable.value;
            }}
          >
            Table
          </Button>
        )}
      </div>
      <div class="chart-body">
        {children}
        {isEmpty && (
          <EmptyState icon="chart" title="Nothing to draw">
            <p class="muted">No row has a value of {choice.x} that has a place on the axis.</p>
          </EmptyState>
        )}
        {points !== null &&
          !isEmpty &&
          (isTable.value ? <ChartTable points={points} /> : <ChartPlot points={points} kind={choice.kind} />)}
      </div>
    </div>
  );
}
