import { SelectField } from '../ui/field.tsx';
import { MenuButton } from '../ui/menu.tsx';
import {
  type Aggregate,
  aggregates,
  type ChartChoice,
  type ChartColumn,
  type ChartKind,
  chartKinds,
  fittingChoice,
  kindsFor,
  roleOf,
  seriesMax,
} from './chart-choice.ts';

const kindTexts: Readonly<Record<ChartKind, string>> = {
  line: 'Line',
  area: 'Area',
  bar: 'Bars',
  scatter: 'Scatter',
  histogram: 'Histogram',
};

const aggregateTexts: Readonly<Record<Aggregate, string>> = {
  avg: 'Average',
  sum: 'Sum',
  min: 'Minimum',
  max: 'Maximum',
  count: 'Count',
};

/** Columns beyond that are found by writing SQL: a menu of 2,000 entries helps nobody. */
const columnsMax = 300;

export function ChartControls({
  columns,
  choice,
  onChoice,
}: {
  readonly columns: readonly ChartColumn[];
  readonly choice: ChartChoice;
  readonly onChoice: (choice: ChartChoice) => void;
}) {
  const named = (role: string) =>
    columns
      .filter((column) => roleOf(column.type) === role)
      .slice(0, columnsMax)
      .map(({ name }) => name);
  const xRole = roleOf(columns.find((column) => column.name === choice.x)?.type ?? '');
  const xNames = withChosen([...named('time'), ...named('number'), ...named('category')], choice.x);
  const numbers = named('number');
  const categories = named('category').filter((name) => name !== choice.x);
  const change = (changes: Partial<ChartChoice>) => {
    const next = fittingChoice({ ...choice, ...changes }, columns);
    if (next !== null) onChoice(next);
  };
  const toggle = (name: string) => {
    const isChosen = choice.y.includes(name);
    const y = isChosen ? choice.y.filter((each) => each !== name) : [...choice.y, name];
    change({
      y,
      ...(choice.y.length === 0 && choice.aggregate === 'count' ? { aggregate: 'avg' as const } : {}),
    });
  };
  const measured = choice.kind !== 'histogram';
  return (
    <div class="chart-controls">
      <SelectField
        label="Chart"
        value={choice.kind}
        choices={chartKinds
          .filter((kind) => kindsFor(xRole).includes(kind))
          .map((kind) => ({ value: kind, label: kindTexts[kind] }))}
        onChoose={(kind) => change({ kind: kind as ChartKind })}
      />
      <SelectField
        label="X"
        value={choice.x}
        choices={xNames.map((name) => ({ value: name, label: name }))}
        onChoose={(x) => change({ x, kind: nextKind(choice, columns, x) })}
      />
      {measured && (
        <div class="field">
          <span class="chart-label">Y</span>
          <MenuButton
            label="Y columns"
            items={numbers.map((name) => ({
              label: name,
              checked: choice.y.includes(name),
              disabled: !choice.y.includes(name) && choice.y.length >= seriesMax,
              run: () => toggle(name),
            }))}
          >
            <span class="clip chart-y">{choice.y.length === 0 ? 'Number of rows' : choice.y.join(', ')}</span>
          </MenuButton>
        </div>
      )}
      {measured && choice.kind !== 'scatter' && choice.y.length > 0 && (
        <SelectField
          label="As"
          value={choice.aggregate}
          choices={aggregates.map((each) => ({ value: each, label: aggregateTexts[each] }))}
          onChoose={(aggregate) => change({ aggregate: aggregate as Aggregate })}
        />
      )}
      {measured && choice.kind !== 'scatter' && categories.length > 0 && (
        <SelectField
          label="Split by"
          value={choice.by ?? ''}
          choices={[
            { value: '', label: 'Nothing' },
            ...withChosen(categories, choice.by).map((name) => ({ value: name, label: name })),
          ]}
          onChoose={(by) => change({ by: by === '' ? null : by })}
        />
      )}
    </div>
  );
}

/** From categories back to times: lines, as the suggestion has them. */
function nextKind(choice: ChartChoice, columns: readonly ChartColumn[], x: string): ChartKind {
  const roles = (name: string) => roleOf(columns.find((column) => column.name === name)?.type ?? '');
  if (roles(x) === 'category') return 'bar';
  return roles(choice.x) === 'category' ? 'line' : choice.kind;
}

function withChosen(names: readonly string[], chosen: string | null): readonly string[] {
  return chosen === null || names.includes(chosen) ? names : [chosen, ...names];
}
