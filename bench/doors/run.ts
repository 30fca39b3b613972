/**
 * What authentication and access cost a warm `/exec` read: `node bench/doors/run.ts [seconds] [rounds]`. Two processes of the same program
 * may differ by a tenth for as long as they run, so each process is compared with itself: it is asked while it is open, and while it asks
 * for a token, in turns. With BASELINE, the path of another installation's `main.js`, that one is measured beside them: for example the
 * version before there were credentials.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { putFrame } from '../../server/test/parts/frame-client.ts';
import { builtCommand, Framehold } from '../../server/test/parts/framehold-process.ts';
import { newToken } from '../../server/test/parts/framehold-tokens.ts';
import { arrowBytes } from '../../server/test/parts/python.ts';
import { wrk } from '../exec/wrk.ts';

const seconds = Number(process.argv[2] ?? 2);
const rounds = Number(process.argv[3] ?? 8);
const processes = 3;
const baseline = process.env.BASELINE;
/** Longer than a server takes to see that its credentials have changed. */
const noticedMs = 100;

const modes = ['open', 'open, longer', 'with a token'] as const;
type Mode = (typeof modes)[number];
type Row = Readonly<Record<string, SQLInputValue>>;

/** A server that can be opened and closed while it runs, which no command does: its credentials are taken out and put back. */
class Subject {
  readonly framehold: Framehold;
  readonly cpuMicroseconds = new Map<Mode, number[]>(modes.map((mode) => [mode, []]));
  readonly #token: string;
  readonly #credentials: DatabaseSync;
  readonly #row: Row;

  constructor(framehold: Framehold) {
    this.framehold = framehold;
    // What an open server holds belongs to the tenant `default`: a token of that tenant reads it.
    this.#token = newToken(framehold.dataDirectory, 'default', 'read');
    this.#credentials = new DatabaseSync(join(framehold.dataDirectory, 'credentials.sqlite'));
    this.#row = this.#credentials.prepare('SELECT * FROM credentials').get() as Row;
  }

  async measure(mode: Mode): Promise<void> {
    this.#credentials.exec('DELETE FROM credentials');
    if (mode === 'with a token') {
      const values = Object.values(this.#row);
      const places = values.map(() => '?').join(', ');
      this.#credentials.prepare(`INSERT INTO credentials VALUES (${places})`).run(...values);
    }
    await sleep(noticedMs);
    const headers = { open: [], 'open, longer': ['X-Unheard-Of'], 'with a token': ['Authorization'] }[mode];
    const cost = await costOf(
      this.framehold,
      headers.map((name) => `${name}: Bearer ${this.#token}`),
    );
    this.cpuMicroseconds.get(mode)?.push(cost);
  }
}

const { ticks } = await arrowBytes({
  ticks: `pa.table({'id': pa.array(range(100), pa.int64()), 'price': [x * 1.25 for x in range(100)], 'name': [f'name-{x}' for x in range(100)]})`,
});
const started: Framehold[] = [];
try {
  const subjects: Subject[] = [];
  for (let index = 0; index < processes; index++) subjects.push(new Subject(await start()));
  const before = baseline === undefined ? null : await start([process.execPath, baseline]);
  const beforeCosts: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const { cpuMicroseconds } of round === 1 ? subjects : [])
      for (const values of cpuMicroseconds.values()) values.length = 0;
    const order = round % 2 === 0 ? modes : modes.toReversed();
    for (const subject of subjects) for (const mode of order) await subject.measure(mode);
    if (before !== null) beforeCosts[round] = await costOf(before, []);
  }
  report(subjects, beforeCosts.slice(1));
} finally {
  for (const framehold of started) await framehold.remove();
}

async function start(command: readonly [string, ...string[]] = builtCommand): Promise<Framehold> {
  const framehold = await Framehold.start({ command });
  started.push(framehold);
  // The server has a core for itself, and wrk the others.
  execFileSync('taskset', ['-a', '-p', '-c', '0', String(framehold.pid)], { stdio: 'ignore' });
  await putFrame(framehold.url, 'ticks', ticks);
  return framehold;
}

/** Microseconds of CPU of one read. */
async function costOf(framehold: Framehold, headers: readonly string[]): Promise<number> {
  const before = cpuSeconds(framehold.pid);
  const url = `${framehold.url}/exec?handle=ticks&fmt=json`;
  const { requestsPerSecond, failures } = await wrk(url, seconds, headers);
  if (failures > 0) throw new Error(`${failures} requests failed`);
  return ((cpuSeconds(framehold.pid) - before) / (requestsPerSecond * seconds)) * 1e6;
}

/** User and system time of the process. On a machine that others use too, it varies less than the time that passes. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond();
}

function ticksPerSecond(): number {
  return Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * part)] ?? Number.NaN;
}

/** Ratios within a process and a round: what slows both turns down says nothing. */
function report(subjects: readonly Subject[], before: readonly number[]): void {
  const row = (title: string, costs: readonly number[], ratios: readonly number[]) => {
    const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(ratios, part).toFixed(3));
    console.log(
      `${title.padEnd(14)} ${quantile(costs, 0.5).toFixed(1).padStart(6)} µs of CPU each  ${middle} of open (${low} to ${high})`,
    );
  };
  const costs = (mode: Mode) => subjects.flatMap(({ cpuMicroseconds }) => cpuMicroseconds.get(mode) ?? []);
  const open = costs('open');
  for (const mode of modes) {
    const own = costs(mode);
    row(
      mode,
      own,
      own.map((cost, index) => cost / (open[index] ?? Number.NaN)),
    );
  }
  if (before.length > 0)
    row(
      'before',
      before,
      before.map((cost) => cost / quantile(open, 0.5)),
    );
}
