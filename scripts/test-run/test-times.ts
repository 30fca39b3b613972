import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** How many seconds each file took the last time, by its path from the repository's root. */
type Times = Readonly<Record<string, number>>;

/** Of the runs of one kind. Beside the programs that `npm run setup` brings: all clones share it. */
export function timesRecordOf(kind: string): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'framehold', 'test-times', `${kind}.json`);
}

/**
 * The order in which files that run side by side end soonest: a long one that begins last would run alone. Files without a time come first,
 * because they may be long.
 */
export function longestFirst(files: readonly string[], record: string): string[] {
  const times = readTimes(record);
  const timeOf = (file: string) => times[file] ?? Number.MAX_VALUE;
  return files.toSorted((one, other) => timeOf(other) - timeOf(one));
}

/** Adds what these files took. Of two runs at the same time, the times of one may be lost: the next run has them. */
export function keepTimes(record: string, seconds: ReadonlyMap<string, number>): void {
  const times = { ...readTimes(record), ...Object.fromEntries(seconds) };
  const rounded = Object.entries(times).map(([file, each]) => [file, Number(each.toFixed(1))]);
  const written = `${record}.${process.pid}`;
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(written, `${JSON.stringify(Object.fromEntries(rounded), null, 1)}\n`);
  renameSync(written, record);
}

/** None if there is no record, or one that cannot be read: only the order depends on it. */
function readTimes(record: string): Times {
  try {
    const read = JSON.parse(readFileSync(record, 'utf8')) as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(read).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
    );
  } catch {
    return {};
  }
}
