/**
 * What authentication and access cost a warm `/exec` read: an open server and one that asks for a token, side by side on this machine,
 * asked in turns. `node bench/doors/run.ts [seconds] [rounds]`. With BASELINE, the path of another installation's `main.js`, that one is
 * measured too: for example the version before there were credentials.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { putFrame } from '../../server/test/parts/frame-client.ts';
import { builtCommand, Framehold } from '../../server/test/parts/framehold-process.ts';
import { newToken } from '../../server/test/parts/framehold-tokens.ts';
import { arrowBytes } from '../../server/test/parts/python.ts';
import { wrk } from '../exec/wrk.ts';

const seconds = Number(process.argv[2] ?? 3);
const rounds = Number(process.argv[3] ?? 9);
const baseline = process.env.BASELINE;

interface Subject {
  readonly title: string;
  readonly framehold: Framehold;
  readonly headers: readonly string[];
  readonly cpuMicroseconds: number[];
  readonly requestsPerSecond: number[];
}

const subjects: Subject[] = [];
const { ticks } = await arrowBytes({
  ticks: `pa.table({'id': pa.array(range(100), pa.int64()), 'price': [x * 1.25 for x in range(100)], 'name': [f'name-{x}' for x in range(100)]})`,
});
try {
  await open('open', {});
  await open('with a token', {}, 'token');
  if (baseline !== undefined) await open('before', { command: [process.execPath, baseline] });
  for (const subject of subjects) await measure(subject, 2);
  for (const subject of subjects) {
    subject.cpuMicroseconds.length = 0;
    subject.requestsPerSecond.length = 0;
  }
  for (let round = 0; round < rounds; round++)
    for (const subject of subjects) await measure(subject, seconds);
  report();
} finally {
  for (const { framehold } of subjects) await framehold.remove();
}

async function open(
  title: string,
  options: { readonly command?: readonly [string, ...string[]] },
  credential?: 'token',
): Promise<void> {
  const framehold = await Framehold.start({ command: options.command ?? builtCommand });
  subjects.push({ title, framehold, headers: [], cpuMicroseconds: [], requestsPerSecond: [] });
  await putFrame(framehold.url, 'ticks', ticks);
  if (credential === undefined) return;
  // What an open server holds belongs to the tenant `default`: a token of that tenant reads it.
  const token = newToken(framehold.dataDirectory, 'default', 'read');
  subjects[subjects.length - 1] = {
    ...(subjects.at(-1) as Subject),
    headers: [`Authorization: Bearer ${token}`],
  };
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
  subject.requestsPerSecond.push(requestsPerSecond);
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

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function report(): void {
  const [first] = subjects;
  for (const { title, cpuMicroseconds, requestsPerSecond } of subjects) {
    // Rounds are compared with their own neighbours: what disturbs one disturbs the other.
    const ratios = cpuMicroseconds.map(
      (value, round) => value / (first?.cpuMicroseconds[round] ?? Number.NaN),
    );
    console.log(
      `${title.padEnd(14)} ${median(requestsPerSecond).toFixed(0).padStart(7)} requests/s  ${median(cpuMicroseconds).toFixed(1).padStart(6)} µs of CPU each  ${median(ratios).toFixed(3)} of the open server's`,
    );
  }
}
