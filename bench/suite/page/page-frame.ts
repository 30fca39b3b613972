import { escapeText } from './svg.ts';

/** Colours have roles, and both schemes give each role a colour with enough contrast. Printed pages are light. */
const style = `
:root { color-scheme: light dark; }
:root, :root[data-scheme=light] {
  --surface: #ffffff; --ink: #1b1f24; --muted: #59636e; --grid: #dfe3e8; --line: #8c959f;
  --met: #1a7f5a; --missed: #c2410c; --none: #57708f; --framehold: #0b62d6; --peer-line: #6e7781;
}
@media (prefers-color-scheme: dark) { :root {
  --surface: #14171c; --ink: #e6e9ee; --muted: #9aa5b1; --grid: #2b3139; --line: #6b7683;
  --met: #3fb68b; --missed: #ff8a4c; --none: #8aa5c4; --framehold: #6aa9ff; --peer-line: #a5afba;
} }
@page { size: A4 landscape; margin: 12mm; }
* { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { background: var(--surface); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 1200px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 36px 0 4px; } h3 { font-size: 15px; margin: 0; }
p { margin: 0 0 12px; max-width: 76ch; } .note { color: var(--muted); font-size: 13.5px; }
svg { display: block; width: 100%; height: auto; font: 12.5px system-ui, sans-serif; overflow: visible; }
.plot { overflow-x: auto; } .plot svg { min-width: 640px; }
svg text { fill: var(--ink); } svg text.muted { fill: var(--muted); font-size: 11.5px; }
svg .grid { stroke: var(--grid); } svg .peer[x1] { stroke: var(--line); stroke-width: 1.5; }
svg .bar.met { fill: var(--met); } svg .bar.missed { fill: var(--missed); } svg .bar.none { fill: var(--none); }
svg text.met { fill: var(--met); } svg text.missed { fill: var(--missed); font-weight: 600; } svg text.none { fill: var(--muted); }
svg .whisker { stroke: var(--ink); stroke-width: 1.5; } svg .target { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 3 2; }
svg polyline { fill: none; stroke-width: 2; } svg polyline.framehold { stroke: var(--framehold); }
svg polyline.peer { stroke: var(--peer-line); stroke-dasharray: 6 4; }
svg circle.framehold { fill: var(--framehold); } svg circle.peer { fill: var(--surface); stroke: var(--peer-line); stroke-width: 2; }
svg text.framehold { fill: var(--framehold); font-weight: 600; } svg text.name.peer { fill: var(--muted); }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 28px; margin-top: 12px; }
figure { margin: 0; } figcaption { color: var(--muted); font-size: 13px; } figcaption.missed { color: var(--missed); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; width: 100%; }
th, td { padding: 5px 7px; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap; }
td.targets { white-space: normal; min-width: 9em; }
th { color: var(--muted); font-weight: 500; vertical-align: bottom; white-space: normal; } th:first-child, td:first-child { text-align: left; }
td.met { color: var(--met); } td.missed { color: var(--missed); font-weight: 600; }
@media print { :root {
  --surface: #ffffff; --ink: #000000; --muted: #444444; --grid: #cccccc; --line: #777777;
  --met: #1a7f5a; --missed: #b83a06; --none: #57708f; --framehold: #0b62d6; --peer-line: #555555;
} section, tr, figure { break-inside: avoid; } body { max-width: none; padding: 0; } table { font-size: 9.5px; } th, td { padding: 3px 4px; } .wide, .plot { overflow: visible; } .panels { grid-template-columns: 1fr 1fr; } }
`;

/** Something that is scrolled sideways on a narrow screen, also with the keyboard. */
export function scrollable(kind: 'plot' | 'wide', label: string, content: string): string {
  return `<div class="${kind}" tabindex="0" role="region" aria-label="${escapeText(label)}">${content}</div>`;
}

/** What could not be measured is missing from the plots: the page must not look complete. */
export function failedNote(failed: readonly string[]): string {
  return failed.length === 0
    ? ''
    : `<p><strong>Not measured: ${escapeText(failed.join(', '))} failed.</strong></p>`;
}

/** One file, without anything from elsewhere: it can be sent, kept and printed. */
export function pageFrame(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}
