/**
 * What authentication and access cost a warm `/exec` read: open servers, with and without a header that they do not look at, and servers that
 * ask for a token, side by side on this machine, asked in turns. `node bench/doors/run.ts [seconds] [rounds]`. With BASELINE, the path of another installation's `main.js`, that one is
 * measured too: for example the version before there were credentials.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { putFrame } from '../../server/test/parts/frame-client.ts';
import { builtCommand, Framehold } from '../../server/test/parts/framehold-process.ts';
import { newToken } from '../../server/test/parts/framehold-tokens.ts';
import { arrowBytes } from '../../server/test/parts/python.ts';
import { wrk } from '../exec/wrk.ts';

const seconds = Number(process.argv[2] ?? 2);
const rounds = Number(process.argv[3] ?? 8);
/** Two processes of the same program may differ by some per cent for as long as they run: several of each are compared. */
const pairs = 3;
const baseline = process.env.BASELINE;

/** For an open server, which does not look at it: what the longer request costs by itself. */
const unreadToken = `fh_${'a'.repeat(12)}_${'A'.repeat(43)}`;

interface Subject {
  readonly title: string;
  readonly framehold: Framehold;
  readonly headers: readonly string[];
  readonly cpuMicroseconds: number[];
}

const subjects: Subject[] = [];
const { ticks } = await arrowBytes({
  ticks: `pa.table({'id': pa.array(range(100), pa.int64()), 'price': [x * 1.25 for x in range(100)], 'name': [f'name-{x}' for x in range(100)]})`,
});
try {
  for (let pair = 0; pair < pairs; pair++) {
    await open('open', {});
    await open('open, header', {}, 'unread');
    await open('with a token', {}, 'token');
    if (baseline !== undefined) await open('before', { command: [process.execPath, baseline] });
  }
  for (const subject of subjects) await measure(subject, 2);
  for (const { cpuMicroseconds } of subjects) cpuMicroseconds.length = 0;
  for (let round = 0; round < rounds; round++)
    for (const subject of subjects) await measure(subject, seconds);
  report();
} finally {
  for (const { framehold } of subjects) await framehold.remove();
}

async function open(
  title: string,
  options: { readonly command?: readonly [string, ...string[]] },
  credential?: 'token' | 'unread',
): Promise<void> {
  const framehold = await Framehold.start({ command: options.command ?? builtCommand });
  // The server has a core for itself, and wrk the others.
  execFileSync('taskset', ['-a', '-p', '-c', '0', String(framehold.pid)], { stdio: 'ignore' });
  subjects.push({ title, framehold, headers: [], cpuMicroseconds: [] });
  await putFrame(framehold.url, 'ticks', ticks);
  if (credential === undefined) return;
  // What an open server holds belongs to the tenant `default`: a token of that tenant reads it.
  const token = credential === 'unread' ? unreadToken : newToken(framehold.dataDirectory, 'default', 'read');
  subjects.push({ ...(subjects.pop() as Subject), headers: [`Authorization: Bearer ${token}`] });
}

async function measure(subject: Subject, forSeconds: number): Promise<void> {
  const { framehold, headers } = subject;
  const before = cpuSeconds(framehold.pid);
  const { requestsPerSecond, failures } = await wrk(
    `${framehold.url}/exec?handle=ticks&fmt=json`,
    forSeconds,
    headers,
  );
  if (failures > 0) throw new Error(`${subject.title}: ${failures} requests failed`);
  subject.cpuMicroseconds.push(
    ((cpuSeconds(framehold.pid) - before) / (requestsPerSecond * forSeconds)) * 1e6,
  );
}

/** User and system time of the process. On a machine that others use too, it varies less than the time that passes. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond();
}

function ticksPerSecond(): number {
  return Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
}

/** The second best of ten: what others do on the machine only ever adds. */
function undisturbed(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 10)] ?? Number.NaN;
}

function report(): void {
  const titles = [...new Set(subjects.map(({ title }) => title))];
  const cost = (title: string) =>
    undisturbed(
      subjects.filter((subject) => subject.title === title).flatMap(({ cpuMicroseconds }) => cpuMicroseconds),
    );
  for (const title of titles) {
    const ratio = cost(title) / cost('open');
    console.log(
      `${title.padEnd(14)} ${cost(title).toFixed(1).padStart(6)} µs of CPU each  ${ratio.toFixed(3)} of the open servers'`,
    );
  }
}
