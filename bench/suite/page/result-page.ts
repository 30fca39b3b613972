import type { Size } from '../benchmark-case.ts';
import type { CaseResult } from '../case-result.ts';
import { type Machine, machineText } from '../machine.ts';
import { resultCells, resultHeadings } from '../table.ts';
import { failedNote, pageFrame, scrollable } from './page-frame.ts';
import { ratioPlot } from './ratio-plot.ts';
import { escapeText } from './svg.ts';

/** The whole page. */
export function resultPage(
  machine: Machine,
  size: Size,
  results: readonly CaseResult[],
  failed: readonly string[] = [],
): string {
  const rates = results.filter(({ quantity }) => quantity === 'rate');
  const costs = results.filter(({ quantity }) => quantity !== 'rate');
  const missed = results.filter(({ verdict }) => verdict === 'missed').length;
  const scale =
    size.scale === 1
      ? ''
      : ` This run used ${size.scale} of the full size; the targets apply to the full size.`;
  return pageFrame(
    'Framehold beside its peers',
    [
      '<h1>Framehold beside its peers</h1>',
      `<p class="note">${escapeText(machineText(machine))}. Medians of ${size.rounds} rounds, in turns.${scale}</p>`,
      `<p>${results.length} cases, ${missed === 0 ? 'none misses its target' : `${missed} miss a target`}.
        A bar begins at the peer (1) and ends at Framehold, on a logarithmic axis. The dashed mark is the target, the whisker shows the
        quartiles of the rounds.</p>`,
      failedNote(failed),
      plot('Rates: further to the right is better', rates),
      plot('Time, CPU time and memory: further to the left is better', costs),
      '<section><h2>All figures</h2>',
      scrollable('wide', 'All figures', table(results)),
      '<p class="note">CPU is that of one unit of work (a request, a gigabyte, a statement), of the process and all that it started.</p></section>',
    ].join('\n'),
  );
}

function plot(title: string, results: readonly CaseResult[]): string {
  if (results.length === 0) return '';
  return `<section><h2>${title}</h2>${scrollable('plot', title, ratioPlot(title, results))}</section>`;
}

function table(results: readonly CaseResult[]): string {
  const rows = results.map((result) => {
    const cells = resultCells(result).map((cell) => escapeText(cell));
    const verdict = `<td class="${result.verdict}">${cells.at(-1)}</td>`;
    const targets = `<td class="targets">${cells.at(-2)}</td>`;
    const others = cells.slice(0, -2).map((cell) => `<td>${cell}</td>`);
    return `<tr>${others.join('')}${targets}${verdict}</tr>`;
  });
  const head = resultHeadings.map((heading) => `<th scope="col">${heading}</th>`).join('');
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}
