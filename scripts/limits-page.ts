import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A constant of the sources that bounds a size, a count or a time, with the comment above it. */
interface Limit {
  readonly room: string;
  /** Within the repository. */
  readonly path: string;
  readonly name: string;
  readonly value: number;
  readonly reason: string;
}

const repository = join(import.meta.dirname, '..');
/** The folders that are scanned. */
const sourceFolders = ['server/src', 'engines/spark/src'];

/** `const name = value;` at the beginning of a line: a constant of the module. */
const constant = /^(?:export )?const (\w+)(?:: number)? = ([^;\n]+);/;
/** What makes a constant a limit: its name ends in what is bounded, or in how. */
const limitName =
  /(?:Max|Min|Ms|Seconds|Bytes|Kibibytes|Megabytes|Entries|Characters|Rows|AtOnce|Kept)(?:Max|Min|Default|Target)?$|^(?:max|min)[A-Z]/;
/** A unit, not a limit. */
const unitName = /^(?:day|hour|minute|second|idsPer)Ms$|Per(?:Day|Ms|Second)$/;
/** Precision of a type; a page of memory. */
const formatName = /^pageBytes$|^(?:d|\w+D)igits(?:Max)?$|^precision|^alignment/;
/** Smaller sizes are parts of a format (a prefix, a header), or a room for the longest text of one type. */
const formatBytes = { size: 1024, most: 64 };

/** A sum of products of numbers, and of constants above it in the same file; NaN for everything else. */
function valueIn(expression: string, known: ReadonlyMap<string, number>): number {
  const powerOf = (factor: string) => {
    const [base = Number.NaN, power = 1] = factor.split(' ** ').map((word) => numberOf(word.trim(), known));
    return base ** power;
  };
  const productOf = (term: string) =>
    term
      .split(' * ')
      .map(powerOf)
      .reduce((product, factor) => product * factor, 1);
  return expression
    .split(' + ')
    .map(productOf)
    .reduce((sum, term) => sum + term, 0);
}

function numberOf(word: string, known: ReadonlyMap<string, number>): number {
  if (/^[\d_]+(?:\.\d+)?(?:e\d+)?n?$/.test(word)) return Number(word.replaceAll('_', '').replace(/n$/, ''));
  return known.get(word) ?? Number.NaN;
}

const isLimit = (name: string, value: number) =>
  limitName.test(name) &&
  !unitName.test(name) &&
  !formatName.test(name) &&
  !(/Bytes$/.test(name) && value < formatBytes.size) &&
  !(/Bytes(?:Max|Min)$/.test(name) && value < formatBytes.most);

/** The limits of a file. A comment is that of the constants in the lines right after it. */
export function limitsOf(path: string, text: string): Limit[] {
  const room = /^engines\/[^/]+/.exec(path)?.[0] ?? path.split('/')[2] ?? '';
  const known = new Map<string, number>();
  const limits: Limit[] = [];
  let comment: string[] = [];
  let open = false;
  for (const line of text.split('\n')) {
    if (open || line.startsWith('/**') || line.startsWith('// ')) {
      if (!open && !(line.startsWith('//') && comment.length > 0)) comment = [];
      comment.push(
        line
          .replace(/^\/\*\*|^\/\/|^ \*(?!\/)/, '')
          .replace(/\*\/$/, '')
          .trim(),
      );
      open = !line.startsWith('//') && !line.endsWith('*/');
      continue;
    }
    const [, name = '', expression = ''] = constant.exec(line) ?? [];
    const value = valueIn(expression, known);
    if (Number.isNaN(value)) {
      comment = [];
      continue;
    }
    known.set(name, value);
    const reason = comment
      .join(' ')
      .replace(/\{@link (\w+)\}/g, '`$1`')
      .trim();
    if (isLimit(name, value)) limits.push({ room, path, name, value, reason });
  }
  return limits;
}

/** All limits of the sources, in the order of rooms, files and lines. */
export function readLimits(): Limit[] {
  return sourceFolders.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.split('/').includes('gen'))
      .map((path) => `${folder}/${path}`)
      .sort()
      .flatMap((path) => limitsOf(path, readFileSync(join(repository, path), 'utf8'))),
  );
}

const counted = (value: number) => {
  const [whole = '', fraction] = String(value).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
};

/** The largest unit that the value is a whole number of. */
function inUnits(value: number, units: readonly (readonly [string, number])[]): string {
  const [name, size] = units.find(([, each]) => value % each === 0 && value >= each) ?? ['', 1];
  return `${counted(value / size)} ${name}`.trim();
}

const times = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;
const sizes = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['MB', 1e6],
  ['KiB', 2 ** 10],
  ['bytes', 1],
] as const;

/** The value, with its unit in words. */
export function shownValue({ name, value }: Pick<Limit, 'name' | 'value'>): string {
  if (/Ms(?:Max|Min|Default)?$/.test(name)) return inUnits(value, times).replace(/^1 days$/, '1 day');
  if (/Seconds(?:Max|Min|Default)?$/.test(name)) return inUnits(value * 1000, times);
  if (/Bytes/.test(name)) return inUnits(value, sizes);
  if (/Kibibytes/.test(name)) return inUnits(value * 2 ** 10, sizes);
  if (/Megabytes/.test(name)) return inUnits(value * 2 ** 20, sizes);
  return counted(value);
}

const cell = (text: string) => text.replaceAll('|', '\\|');

/** docs/reference/limits.md */
export function renderLimitsPage(limits: readonly Limit[] = readLimits()): string {
  const rooms = Map.groupBy(limits, ({ room }) => room);
  const sections = [...rooms].map(([room, inside]) =>
    [
      `## ${room}`,
      '',
      '| constant | value | reason | file |',
      '|---|---|---|---|',
      ...inside.map((limit) => {
        const file = limit.path.replace(/^server\/src\/[^/]+\/|^engines\/[^/]+\/src\//, '');
        const shown = `[${file.replace('server/src/', '')}](../../${limit.path})`;
        return `| \`${limit.name}\` | ${shownValue(limit)} | ${cell(limit.reason)} | ${shown} |`;
      }),
      '',
    ].join('\n'),
  );
  return `# Fixed limits

<!-- Made from the constants of server/src and engines/spark/src by \`node scripts/write-reference.ts\`. Change them there. -->

Every queue, buffer, wait and cache has a limit. Limits that can be changed are settings: [settings.md](settings.md) has them, with
the reason for each default. This page lists the limits that are fixed in the code, with the comment above each constant.

1 KiB is 2¹⁰ bytes, 1 MiB 2²⁰, 1 GiB 2³⁰, 1 MB 10⁶. Sections are the rooms of [ARCHITECTURE.md](../../ARCHITECTURE.md).

${sections.join('\n')}`;
}
