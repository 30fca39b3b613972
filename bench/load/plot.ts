/** Lines over time as SVG, one panel below the other. */

export interface Panel {
  readonly title: string;
  /** Points in order of x. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

const width = 760;
const panelHeight = 120;
const left = 64;
const right = 16;
const top = 28;
const gap = 40;

export function plot(title: string, xLabel: string, panels: readonly Panel[]): string {
  const height = top + panels.length * (panelHeight + gap) + 20;
  const xMax = Math.max(...panels.flatMap(({ points }) => points.map(([x]) => x)), 1);
  const body = panels.map((panel, index) => drawPanel(panel, top + index * (panelHeight + gap) + 16, xMax));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeText(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${left}" y="18" font-size="14" fill="#222222">${escapeText(title)}</text>`,
    ...body,
    `<text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle" fill="#555555">${escapeText(xLabel)}</text>`,
    '</svg>\n',
  ].join('\n');
}

function drawPanel({ title, points }: Panel, y0: number, xMax: number): string {
  const yMax = niceCeiling(Math.max(...points.map(([, y]) => y), 1));
  const x = (value: number) => left + (value / xMax) * (width - left - right);
  const y = (value: number) => y0 + panelHeight - (value / yMax) * panelHeight;
  const grid = [0, 0.5, 1].map((share) => {
    const at = y(yMax * share).toFixed(1);
    return `<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" stroke="#dddddd"/><text x="${left - 6}" y="${Number(at) + 4}" text-anchor="end" fill="#555555">${yMax * share}</text>`;
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<text x="${x(xMax * share).toFixed(1)}" y="${y0 + panelHeight + 14}" text-anchor="middle" fill="#555555">${Number((xMax * share).toPrecision(3))}</text>`,
  );
  const line = points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(' ');
  return [
    `<text x="${left}" y="${y0 - 6}" fill="#222222">${escapeText(title)}</text>`,
    ...grid,
    ...ticks,
    `<polyline fill="none" stroke="#1f6feb" stroke-width="1.5" points="${line}"/>`,
  ].join('\n');
}

/** The next of 1, 2, 4, 5, 8, 10 times a power of ten. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5, 8, 10].find((each) => each * power >= value) ?? 10) * power;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
