/**
 * Requests at a rate of their own, whatever the server does: `node open-loop.ts <JSON>`. One that finds every connection busy is turned away here: that is what its caller would see, and what
 * waits in the generator would hide how long an answer takes. Prints one line of JSON.
 */
import { Agent, request } from 'node:http';
import { quantile } from '../suite/statistics.ts';

export type Kind = 'rows' | 'statements' | 'uploads';

export interface OpenLoop {
  readonly url: string;
  readonly kind: Kind;
  readonly connections: number;
  /** In a second. */
  readonly rate: number;
  readonly seconds: number;
}

export interface OpenLoopReport {
  /** In a second: planned and sent, and answered with what was asked for. */
  readonly sent: number;
  readonly good: number;
  readonly turnedAway: number;
  /** Other answers, by their status, and errors by their code. */
  readonly others: Readonly<Record<string, number>>;
  readonly medianMs: number;
  readonly p99Ms: number;
}

const tickMs = 2;
const { url, kind, connections, rate, seconds } = JSON.parse(process.argv[2] ?? '') as OpenLoop;
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const times: number[] = [];
const others: Record<string, number> = {};
// Statements and uploads of other runs are other ones.
const first = Math.floor(Math.random() * 1e9);
let planned = 0;
let open = 0;
let turnedAway = 0;
let isOver = false;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

function asked(number: number): Asked {
  switch (kind) {
    case 'rows':
      return { method: 'GET', path: `/v1/frames/held/rows?fmt=csv&limit=100&offset=${number % 900}` };
    case 'statements':
      return {
        method: 'POST',
        path: '/v1/sql?fmt=csv',
        type: 'application/sql',
        body: `select sum(n) from held where n <> ${number}`,
      };
    case 'uploads':
      return {
        method: 'PUT',
        path: `/v1/frames/made_${number % 200}`,
        type: 'text/csv',
        body: `n,text\n${number},a\n`,
      };
  }
}

function send({ method, path, type, body }: Asked): void {
  open += 1;
  const began = performance.now();
  const ended = (result: string) => {
    open -= 1;
    if (isOver) return;
    if (result === 'good') times.push(performance.now() - began);
    else others[result] = (others[result] ?? 0) + 1;
  };
  const headers = type === undefined ? {} : { 'content-type': type };
  request(url + path, { method, agent, headers }, (answer) => {
    answer.resume();
    const { statusCode = 0 } = answer;
    answer.on('end', () => ended(statusCode < 300 ? 'good' : String(statusCode)));
    answer.on('error', ({ message }) => ended(message));
  })
    .on('error', ({ message }) => ended(message))
    .end(body);
}

const began = performance.now();
await new Promise<void>((resolve) => {
  const timer = setInterval(() => {
    const elapsed = (performance.now() - began) / 1_000;
    if (elapsed >= seconds) {
      clearInterval(timer);
      resolve();
    }
    for (const due = Math.floor(Math.min(elapsed, seconds) * rate); planned < due; planned++)
      if (open < connections) send(asked(first + planned));
      else turnedAway += 1;
  }, tickMs);
});
isOver = true;
const report: OpenLoopReport = {
  sent: (planned - turnedAway) / seconds,
  good: times.length / seconds,
  turnedAway: turnedAway / seconds,
  others: Object.fromEntries(Object.entries(others).map(([name, count]) => [name, count / seconds])),
  medianMs: quantile(times, 0.5),
  p99Ms: quantile(times, 0.99),
};
console.log(JSON.stringify(report));
process.exit();
