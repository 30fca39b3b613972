import type { Histogram as Counts } from '@framehold/client';
import { countText } from '../../ui/format.ts';

const widthPx = 240;
const heightPx = 40;

/** A small picture of how values are distributed. The exact limits and counts are in the titles, and in the table beside it. */
export function Histogram({ histogram, label }: { readonly histogram: Counts; readonly label: string }) {
  return histogram.kind === 'range' ? (
    <Range bins={histogram.bins} label={label} />
  ) : (
    <Values histogram={histogram} />
  );
}

function Range({
  bins,
  label,
}: {
  readonly bins: readonly { readonly from: string; readonly to: string; readonly count: number }[];
  readonly label: string;
}) {
  const most = Math.max(...bins.map(({ count }) => count), 1);
  const barPx = widthPx / Math.max(bins.length, 1);
  return (
    <svg
      class="histogram"
      viewBox={`0 0 ${widthPx} ${heightPx}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {bins.map(({ from, to, count }, index) => {
        // A bin with a single value still shows.
        const height = count === 0 ? 0 : Math.max((count / most) * (heightPx - 1), 1.5);
        return (
          <g key={from}>
            <rect class="histogram-ground" x={index * barPx} y={0} width={barPx} height={heightPx}>
              <title>{`${from} – ${to}: ${countText(count)}`}</title>
            </rect>
            <rect
              class="histogram-bar"
              x={index * barPx + 0.5}
              y={heightPx - height}
              width={Math.max(barPx - 1, 0.5)}
              height={height}
            />
          </g>
        );
      })}
    </svg>
  );
}

/** The most frequent values shown; the others are counted together. */
const valuesMax = 4;

function Values({ histogram }: { readonly histogram: Extract<Counts, { readonly kind: 'values' }> }) {
  const shown = histogram.values.slice(0, valuesMax);
  const rest =
    histogram.others + histogram.values.slice(valuesMax).reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(...shown.map(({ count }) => count), 1);
  return (
    <ul class="top-values">
      {shown.map(({ value, count }) => (
        <Value
          key={value}
          text={value === '' ? 'empty' : value}
          isMark={value === ''}
          count={count}
          most={most}
        />
      ))}
      {rest > 0 && <Value text="all others" isMark count={rest} most={null} />}
    </ul>
  );
}

function Value({
  text,
  isMark,
  count,
  most,
}: {
  readonly text: string;
  readonly isMark: boolean;
  readonly count: number;
  /** Of the values that are compared; null for a sum, whose bar would dwarf them. */
  readonly most: number | null;
}) {
  return (
    <li>
      {most !== null && <span class="top-bar" style={{ width: `${(count / most) * 100}%` }} />}
      <span class={`top-text clip ${isMark ? 'is-mark' : 'mono'}`} title={text}>
        {text}
      </span>
      <span class="top-count">{countText(count)}</span>
    </li>
  );
}
