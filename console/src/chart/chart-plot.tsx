import 'uplot/dist/uPlot.min.css';
import './chart.css';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { isDark } from '../shell/theme.ts';
import type { ChartKind } from './chart-choice.ts';
import type { ChartPoints } from './chart-points.ts';
import { type PlotLook, plotData, plotOptions } from './plot-options.ts';
import { seriesColors } from './series-colors.ts';

/** The drawing. The pointer or the arrow keys choose a point, whose exact values are shown; dragging magnifies, a double click returns. */
export function ChartPlot({ points, kind }: { readonly points: ChartPoints; readonly kind: ChartKind }) {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | null>(null);
  const [library, setLibrary] = useState<typeof uPlot | null>(null);
  const cursor = useSignal<number | null>(null);
  const dark = isDark();

  useEffect(() => {
    let isGone = false;
    import('uplot').then(
      (module) => {
        if (!isGone) setLibrary(() => module.default);
      },
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, []);

  useLayoutEffect(() => {
    const element = host.current;
    if (library === null || element === null) return;
    const size = () => ({
      width: Math.max(200, element.clientWidth),
      height: Math.max(140, element.clientHeight),
    });
    const made = new library(
      plotOptions(library, {
        points,
        kind,
        look: lookOf(element, dark),
        ...size(),
        onCursor: (index) => {
          cursor.value = index;
        },
      }),
      plotData(points),
      element,
    );
    drawn.current = made;
    const watch = new ResizeObserver(() => made.setSize(size()));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      drawn.current = null;
      cursor.value = null;
    };
  }, [library, points, kind, dark]);

  const move = (event: KeyboardEvent) => {
    const plot = drawn.current;
    const last = points.x.length - 1;
    const at = cursor.peek();
    const next =
      event.key === 'ArrowRight'
        ? Math.min(last, at === null ? 0 : at + 1)
        : event.key === 'ArrowLeft'
          ? Math.max(0, at === null ? last : at - 1)
          : event.key === 'Home'
            ? 0
            : event.key === 'End'
              ? last
              : null;
    if (plot === null || next === null || last < 0) return;
    event.preventDefault();
    const value = points.series.find((series) => series.values[next] != null)?.values[next];
    plot.setCursor({
      left: plot.valToPos(points.x[next] as number, 'x'),
      top: value == null ? 0 : plot.valToPos(value, 'y'),
    });
    cursor.value = next;
  };

  return (
    <div class="chart-plot">
      <div
        ref={host}
        class="chart-canvas"
        role="img"
        aria-label={`${kind} chart of ${points.series.map(({ name }) => name).join(', ')} by ${points.xName}, ${points.x.length} points. Arrow keys read the values.`}
        tabIndex={0}
        onKeyDown={move}
      />
      <ChartTip points={points} index={cursor.value} plot={drawn.current} dark={dark} />
    </div>
  );
}

function ChartTip({
  points,
  index,
  plot,
  dark,
}: {
  readonly points: ChartPoints;
  readonly index: number | null;
  readonly plot: uPlot | null;
  readonly dark: boolean;
}) {
  const element = useRef<HTMLDivElement>(null);
  const isShown = index !== null && points.x[index] !== undefined;
  useLayoutEffect(() => {
    const tip = element.current;
    if (tip === null || plot === null || !isShown) return;
    const { left = 0 } = plot.cursor;
    const box = plot.over;
    const onLeft = left > box.clientWidth / 2;
    const x = box.offsetLeft + left + (onLeft ? -tip.offsetWidth - 14 : 14);
    tip.style.left = `${Math.max(4, Math.min(x, (tip.parentElement?.clientWidth ?? 0) - tip.offsetWidth - 4))}px`;
    tip.style.top = `${box.offsetTop + 8}px`;
  });
  return (
    <div ref={element} class="chart-tip" role="status" hidden={!isShown}>
      {isShown && (
        <>
          <div class="chart-tip-x">{points.xTexts[index]}</div>
          {points.series.map((series, at) => (
            <div key={series.name} class="chart-tip-row">
              <SeriesMark index={at} dark={dark} />
              <span class="chart-tip-name clip">{series.name}</span>
              <span class="numeric mono">{series.texts[index] ?? 'no value'}</span>
              {series.band?.texts[index] != null && (
                <span class="chart-tip-band muted mono">{series.band.texts[index]}</span>
              )}
            </div>
          ))}
        </>
      )}
    </div>
  );
}

export function SeriesMark({ index, dark }: { readonly index: number; readonly dark: boolean }) {
  const colors = seriesColors(dark);
  return (
    <svg class="chart-mark" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      <rect width="10" height="10" rx="3" fill={colors[index % colors.length]} />
    </svg>
  );
}

/** The colours of theme.css: a canvas does not know variables, and their computed values change a moment after the theme does. */
function lookOf(element: Element, dark: boolean): PlotLook {
  const style = getComputedStyle(element);
  return {
    colors: seriesColors(dark),
    text: dark ? '#9aaaa7' : '#52615f',
    line: dark ? '#24302f' : '#e6ecea',
    surface: dark ? '#151c1b' : '#ffffff',
    font: `11px ${style.fontFamily}`,
  };
}
