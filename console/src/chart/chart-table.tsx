import type { ChartPoints } from './chart-points.ts';

/** A table is read, not measured: more rows are in the grid. */
const rowsMax = 500;

/** The same values as a table, for people who read it with a screen reader, or who want to copy them. */
export function ChartTable({ points }: { readonly points: ChartPoints }) {
  const shown = points.x.slice(0, rowsMax);
  return (
    <div class="chart-table" tabIndex={0} role="region" aria-label="Values of the chart">
      <table>
        <thead>
          <tr>
            <th scope="col">{points.xName}</th>
            {points.series.map(({ name }) => (
              <th key={name} scope="col" class="numeric">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((_, index) => (
            <tr key={index}>
              <th scope="row">{points.xTexts[index]}</th>
              {points.series.map(({ name, texts }) => (
                <td key={name} class="numeric mono">
                  {texts[index] ?? <span class="muted">no value</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {points.x.length > rowsMax && (
        <p class="muted">
          The first {rowsMax} of {points.x.length.toLocaleString('en-US')} points.
        </p>
      )}
    </div>
  );
}
