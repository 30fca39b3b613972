import type { PartState } from './run-parts.ts';

const heads = ['part', 'result', 'time', 'passed', 'failed', 'skipped', 'commit', 'day'] as const;

/** For a terminal. */
export function textTable(states: readonly PartState[]): string {
  const rows = [[...heads], ...states.map(rowOf)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The page docs/nightly.md, with the findings of the page before it as they are, and with its rows of the parts that have no other result. */
export function nightlyPage(states: readonly PartState[], machine: string, before: string | null): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    '# The nightly run',
    '',
    '`npm run nightly` runs what is too long for `.ci/run`. `npm run nightly -- --write` writes this table of the last result of each part, on whichever',
    'commit and day that was; the findings below it are written by hand.',
    '',
    `On ${machine}.`,
    '',
    row(heads),
    row(heads.map(() => '---')),
    ...states.map((state) => (state.result === null && rowBefore(state, before)) || row(rowOf(state))),
    '',
    findingsOf(before),
  ].join('\n');
}

/** A part that has not run has not passed. */
export function hasPassed(states: readonly PartState[]): boolean {
  return states.every(({ result }) => result?.isPassed === true);
}

function rowOf({ part, result }: PartState): string[] {
  if (result === null) return [part.name, 'not run', ...Array<string>(heads.length - 2).fill('')];
  const { isPassed, seconds, tests, commit, endedAt } = result;
  const counts = tests === null ? ['', '', ''] : [tests.passed, tests.failed, tests.skipped].map(String);
  return [
    part.name,
    isPassed ? 'passed' : 'failed',
    timeOf(seconds),
    ...counts,
    commit?.slice(0, 8) ?? 'changed',
    endedAt.slice(0, 10),
  ];
}

function rowBefore({ part }: PartState, page: string | null): string | undefined {
  return page?.split('\n').find((line) => line.startsWith(`| ${part.name} |`));
}

function timeOf(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function findingsOf(page: string | null): string {
  const head = '## Findings\n';
  const at = page?.indexOf(`\n${head}`) ?? -1;
  return page !== null && at !== -1 ? page.slice(at + 1) : `${head}\nNone.\n`;
}
