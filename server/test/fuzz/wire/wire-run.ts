import type { Framehold } from '../../support/framehold-process.ts';
import { type PingReport, pingLine } from './ping-watch.ts';
import { unexpectedLines, Watch, type WatchReport } from './wire-watch.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly cases: number;
  /** The first case: a finding is made again with `--first N --cases 1`. */
  readonly first?: number;
  readonly concurrency?: number;
  /** Hears how far it is, every few seconds. */
  readonly onProgress?: (line: string) => void;
}

/** How the good caller asks, and what. */
export interface GoodCaller {
  readonly paths: readonly string[];
  /** With its credential, if the server has any. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Outcome {
  /** What came back, in a word each: counted. */
  readonly kinds: readonly string[];
  readonly fault: string | null;
  readonly shown: string;
  /** It took too long. On a machine that is busy otherwise that says little: such a case is made once more, alone. */
  readonly late?: boolean;
}

export interface FuzzReport {
  readonly seed: number;
  readonly cases: number;
  readonly seconds: number;
  readonly kinds: Readonly<Record<string, number>>;
  /** Cases that took too long among others, and not alone. */
  readonly late: number;
  readonly faults: readonly string[];
  /** Lines of the server's log that it should never write. */
  readonly lines: readonly string[];
  readonly watch: WatchReport;
  readonly ping?: PingReport;
}

/** Read by the good caller all the time; no case names it, so none can drop it. */
export const watchedFrame = 'watched';
const usualCaller: GoodCaller = {
  paths: ['/ping', `/exec?handle=${watchedFrame}&fmt=json&limit=5`],
  headers: {},
};
const concurrencyDefault = 48;
/** More of the same kind add nothing new. */
const shownOfAKind = 4;
/** After so many, every case would say the same. */
const faultsFatal = 500;
const progressEveryMs = 15_000;
/** Cases that are made again because they took too long. */
const lateMax = 200;

/** Runs the cases, a few at a time, with a good caller beside them. */
export async function runCases(
  server: Framehold,
  options: FuzzOptions,
  run: (index: number) => Promise<Outcome>,
  { paths, headers }: GoodCaller = usualCaller,
): Promise<FuzzReport> {
  const began = performance.now();
  const greeting = new Set(server.lines);
  const kinds: Record<string, number> = {};
  const faults: string[] = [];
  const faultKinds = new Map<string, number>();
  const watch = new Watch(server, paths);
  await watch.begun();
  const first = options.first ?? 0;
  let next = first;
  let faultCount = 0;
  const late: number[] = [];
  const seconds = (): number => Math.round((performance.now() - began) / 100) / 10;
  const progress = setInterval(
    () => options.onProgress?.(`${next - first} cases, ${seconds()} s, ${faultCount} faults`),
    progressEveryMs,
  );
  const work = async (): Promise<void> => {
    while (next < first + options.cases && server.exit === null && faultCount < faultsFatal) {
      const index = next++;
      const outcome = await run(index);
      for (const kind of outcome.kinds) kinds[kind] = (kinds[kind] ?? 0) + 1;
      if (outcome.late === true) late.push(index);
      else count(index, outcome);
    }
  };
  const count = (index: number, outcome: Outcome): void => {
    if (outcome.fault === null) return;
    faultCount += 1;
    const seen = (faultKinds.get(outcome.fault) ?? 0) + 1;
    faultKinds.set(outcome.fault, seen);
    if (seen <= shownOfAKind) faults.push(`case ${index}: ${outcome.fault}\n  ${outcome.shown}`);
  };
  await Promise.all(Array.from({ length: options.concurrency ?? concurrencyDefault }, work));
  for (const index of late.slice(0, lateMax)) count(index, await run(index));
  if (late.length > lateMax) faults.push(`${late.length} cases took too long`);
  await allIsFree(server, headers).catch((error: unknown) => faults.push(String(error)));
  clearInterval(progress);
  for (const [kind, count] of faultKinds) faults.push(`${count} times: ${kind}`);
  if (server.exit !== null) faults.push(`the server ended: ${JSON.stringify(server.exit)}`);
  const report = await watch.end();
  return {
    seed: options.seed,
    cases: next - first,
    seconds: seconds(),
    kinds,
    late: late.length,
    faults,
    lines: unexpectedLines(server, greeting),
    watch: report,
  };
}

/** When all callers have gone, nothing is held for them: no put, no read, no statement. */
async function allIsFree(server: Framehold, headers: GoodCaller['headers']): Promise<void> {
  let held: string[] = [];
  try {
    await server.until('end of all puts, reads and statements', async () => {
      const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
      const open = text.match(/^framehold_(?:puts|reads|sql)_open\{[^}]*\} \d+$/gm) ?? [];
      held = open.filter((line) => !line.endsWith(' 0'));
      return open.length > 0 && held.length === 0 ? true : null;
    });
  } catch (error) {
    throw new Error(`still held after all callers have gone: ${held.join(', ')}`, { cause: error });
  }
}

/** Reads `--seed`, `--cases` and `--first`, runs, prints; the exit code says whether all was well. */
export async function fuzzCommand(
  name: string,
  fuzz: (options: FuzzOptions) => Promise<FuzzReport>,
  casesDefault = 100_000,
): Promise<number> {
  const argument = (flag: string): number | undefined => {
    const at = process.argv.indexOf(`--${flag}`);
    return at === -1 ? undefined : Number(process.argv[at + 1]);
  };
  const seed = argument('seed') ?? Math.floor(Math.random() * 2 ** 31);
  const cases = argument('cases') ?? casesDefault;
  const first = argument('first') ?? 0;
  console.log(`${name}: seed ${seed}, cases ${first} to ${first + cases - 1}`);
  const report = await fuzz({ seed, cases, first, onProgress: (line) => console.log(`${name}: ${line}`) });
  console.log(summary(report));
  return report.faults.length + report.lines.length + report.watch.failed.length === 0 ? 0 : 1;
}

export function summary({ watch, ping, ...report }: FuzzReport): string {
  const round = (value: number): number => Math.round(value * 10) / 10;
  return [
    `${report.cases} cases in ${report.seconds} s with seed ${report.seed}`,
    `came back: ${JSON.stringify(report.kinds)}`,
    ...(report.late === 0
      ? []
      : [`took too long on this busy machine, and were made once more alone: ${report.late}`]),
    `good caller: ${watch.asked} answers, median ${round(watch.medianMs)} ms, p99 ${round(watch.p99Ms)} ms, most ${round(watch.maxMs)} ms`,
    ...(ping === undefined ? [] : [pingLine(ping)]),
    `memory in MB: ${spread(watch.megabytes).join(' ')}, most ${Math.max(...watch.megabytes)}`,
    ...watch.failed.slice(0, 20).map((each) => `good caller failed: ${each}`),
    ...report.lines.slice(0, 30).map((each) => `log: ${each.slice(0, 1_500)}`),
    ...report.faults,
  ].join('\n');
}

/** Twelve of them, from first to last. */
function spread(values: readonly number[]): readonly number[] {
  const step = Math.max(1, (values.length - 1) / 11);
  return Array.from(
    { length: Math.min(12, values.length) },
    (_, index) => values[Math.round(index * step)] ?? 0,
  );
}
