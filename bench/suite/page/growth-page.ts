import type { GrowthSeries } from '../growth/growth-series.ts';
import { type Machine, machineText } from '../machine.ts';
import { growthPlot } from './growth-plot.ts';
import { failedNote, pageFrame } from './page-frame.ts';
import { escapeText } from './svg.ts';

/** A panel for each cost, by what grows. */
export function growthPage(
  machine: Machine,
  rounds: number,
  series: readonly GrowthSeries[],
  failed: readonly string[] = [],
): string {
  const axes = [...new Set(series.map(({ axis }) => axis))];
  const findings = series.filter(({ isFinding }) => isFinding).length;
  return pageFrame(
    'Framehold as things grow',
    [
      '<h1>Framehold as things grow</h1>',
      `<p class="note">${escapeText(machineText(machine))}. Medians of ${rounds} rounds, in turns.</p>`,
      `<p>${findings === 0 ? 'Nothing grows' : `${findings} of ${series.length} costs grow`} faster than the peer. Both axes are
        logarithmic. Framehold is the solid line, its peer the dashed one: what matters is whether the two lines come apart.</p>`,
      failedNote(failed),
      ...axes.map((axis) => section(series.filter((each) => each.axis === axis))),
    ].join('\n'),
  );
}

function section(series: readonly GrowthSeries[]): string {
  const label = series[0]?.xLabel ?? '';
  return `<section><h2>${escapeText(label.charAt(0).toUpperCase() + label.slice(1))}</h2><div class="panels">${series.map(panel).join('\n')}</div></section>`;
}

function panel(series: GrowthSeries): string {
  const { title, xLabel, yLabel, peerName, points, relativeGrowth, isFinding } = series;
  const growth = `grows ${relativeGrowth.toFixed(2)} times as much as its peer${isFinding ? ': a finding' : ''}`;
  const plot = growthPlot(`${title}: ${yLabel}`, xLabel, yLabel, [
    {
      name: 'Framehold',
      kind: 'framehold',
      points: points
        .filter(({ framehold }) => framehold > 0)
        .map(({ x, framehold }) => [x, framehold] as const),
    },
    {
      name: 'peer',
      kind: 'peer',
      points: points.filter(({ peer }) => peer > 0).map(({ x, peer }) => [x, peer] as const),
    },
  ]);
  return `<figure><h3>${escapeText(title)}</h3>
<figcaption>beside ${escapeText(peerName)}</figcaption>
${plot}
<figcaption${isFinding ? ' class="missed"' : ''}>${growth}</figcaption></figure>`;
}
