import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../../../server/test/support/child-process.ts';
import { exec, putFrame } from '../../../server/test/support/frame-client.ts';
import { builtCommand, Framehold } from '../../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../../server/test/support/python.ts';
import { serverFolder } from '../../../server/test/support/repository.ts';
import { seedNames } from '../../catalog/measure.ts';
import { descendants, treeCpuSeconds, treeMegabytes } from '../../sql/process-tree.ts';
import { askSql } from '../ask-sql.ts';
import type { BenchmarkCase, CaseFamily, OpenFamily, Sample, Sides, Size } from '../benchmark-case.ts';

const bareNode = 'Node, a bare HTTP server';

const ready: BenchmarkCase = {
  name: 'start-ready',
  title: 'a start, until /readyz answers',
  quantity: 'time',
  unit: 's',
  peer: bareNode,
  targets: [{ of: 'value', atMost: 0.5 }],
};
const cpu: BenchmarkCase = {
  name: 'start-cpu',
  title: 'the same, CPU time of all processes',
  quantity: 'cpu',
  unit: 'CPU s',
  peer: bareNode,
  targets: [{ of: 'value', atMost: 0.7 }],
};
const manyNames: BenchmarkCase = {
  ...ready,
  name: 'start-names',
  title: 'a start with 10⁶ names, until /readyz answers',
};
const engine: BenchmarkCase = {
  name: 'start-engine',
  title: "an engine's process, CPU time until it waits",
  quantity: 'cpu',
  unit: 'CPU s',
  peer: "Node with DuckDB's binding loaded",
  targets: [{ of: 'value', atMost: 0.12 }],
};
const idle: BenchmarkCase = {
  name: 'start-memory',
  title: 'memory at rest after a start, without engines',
  quantity: 'memory',
  unit: 'MB',
  peer: bareNode,
  targets: [{ of: 'value', atMost: 120 }],
};
const first: BenchmarkCase = {
  name: 'start-first',
  title: 'first hundred statements and reads after a start',
  quantity: 'time',
  unit: 's',
  peer: 'the same server, a hundred after a thousand',
  targets: [{ of: 'ratio', atMost: 2 }],
};

/** What a start costs, and what those meet who are there first. */
export const start: CaseFamily = {
  name: 'start',
  cases: [ready, cpu, manyNames, engine, idle, first],
  open,
};

const names = 1_000_000;
/** A process that has used no CPU time for so long waits. */
const quietMs = 400;
const restMs = 3_000;
const requests = 100;
const requestsBefore = 1_000;

async function open({ scale }: Size): Promise<OpenFamily> {
  await using opened = new AsyncDisposableStack();
  // Compiled code is there from the second start on, as it is for everybody.
  const started = async (home?: string) =>
    await Framehold.start({ command: builtCommand, ...(home === undefined ? {} : { home }) });
  const many = opened.adopt(await started(), (each) => each.remove());
  await many.stop();
  await seedNames(many.dataDirectory, Math.round(names * scale));
  const { small } = await arrowBytes({ small: "pa.table({'id': pa.array(range(100), pa.int64())})" });

  const ofStart = async (home?: string): Promise<Sample> => {
    const began = performance.now();
    const framehold = await started(home);
    try {
      await (await fetch(`${framehold.url}/readyz`)).text();
      const seconds = (performance.now() - began) / 1_000;
      const cpuSeconds = treeCpuSeconds(framehold.pid);
      return { work: 1, seconds, cpuSeconds, peakMegabytes: treeMegabytes(framehold.pid).server };
    } finally {
      if (home === undefined) await framehold.remove();
      else await framehold.stop();
    }
  };
  const ofBareNode = (): Promise<Sample> => ofProgram(bareServer, /listening/);

  const closing = opened.move();
  return {
    sides: {
      [ready.name]: { framehold: () => ofStart(), peer: ofBareNode },
      [cpu.name]: { framehold: () => ofStart(), peer: ofBareNode },
      [manyNames.name]: { framehold: () => ofStart(many.home), peer: ofBareNode },
      [engine.name]: { framehold: ofEngine, peer: () => ofProgram(withBinding, /loaded/) },
      [idle.name]: { framehold: ofRest, peer: ofBareNode },
      [first.name]: firstBesideLater(small),
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

const bareServer =
  "require('node:http').createServer((_, answer) => answer.end('ok')).listen(0, '127.0.0.1', () => console.log('listening'))";
const withBinding = "require('@duckdb/node-bindings'); console.log('loaded'); setTimeout(() => {}, 600_000)";

async function ofProgram(source: string, line: RegExp): Promise<Sample> {
  const began = performance.now();
  const child = new Child({ command: process.execPath, args: ['-e', source], cwd: serverFolder });
  try {
    await child.line(line);
    const seconds = (performance.now() - began) / 1_000;
    await untilQuiet(child.pid);
    const { server } = treeMegabytes(child.pid);
    return { work: 1, seconds, cpuSeconds: treeCpuSeconds(child.pid), peakMegabytes: server };
  } finally {
    await child.stop('SIGKILL');
  }
}

/** The one that a server starts before anybody asks for it. */
async function ofEngine(): Promise<Sample> {
  const began = performance.now();
  const framehold = await Framehold.start({ command: builtCommand });
  try {
    const [pid] = descendants(framehold.pid);
    if (pid === undefined) throw new Error('the server has started no engine');
    await untilQuiet(pid);
    const { server } = treeMegabytes(pid);
    const seconds = (performance.now() - began) / 1_000;
    return { work: 1, seconds, cpuSeconds: treeCpuSeconds(pid), peakMegabytes: server };
  } finally {
    await framehold.remove();
  }
}

async function ofRest(): Promise<Sample> {
  const framehold = await Framehold.start({ command: builtCommand });
  try {
    await sleep(restMs);
    const { server } = treeMegabytes(framehold.pid);
    return { work: 1, seconds: 1, cpuSeconds: treeCpuSeconds(framehold.pid), peakMegabytes: server };
  } finally {
    await framehold.remove();
  }
}

/** Both are measured on one server: whichever side is asked first starts it. */
function firstBesideLater(frame: Uint8Array<ArrayBuffer>): Sides {
  const rounds = new Map<number, ReturnType<typeof firstAndLater>>();
  const measured = (round: number) => {
    const known = rounds.get(round) ?? firstAndLater(frame);
    rounds.set(round, known);
    return known;
  };
  return {
    framehold: async (round) => (await measured(round)).first,
    peer: async (round) => (await measured(round)).later,
  };
}

async function firstAndLater(
  frame: Uint8Array<ArrayBuffer>,
): Promise<{ readonly first: Sample; readonly later: Sample }> {
  const framehold = await Framehold.start({ command: builtCommand });
  try {
    let number = 0;
    await putFrame(framehold.url, 'small', frame);
    const ask = async (count: number): Promise<Sample> => {
      const cpuBefore = treeCpuSeconds(framehold.pid);
      const began = performance.now();
      for (let asked = 0; asked < count; asked += 2) {
        number += 1;
        await askSql(framehold.url, `select sum(id) from small where id <> ${number}`);
        await exec(framehold.url, { handle: 'small', fmt: 'json', limit: `${1 + (number % 100)}` });
      }
      const seconds = (performance.now() - began) / 1_000;
      const cpuSeconds = treeCpuSeconds(framehold.pid) - cpuBefore;
      return { work: 1, seconds, cpuSeconds, peakMegabytes: treeMegabytes(framehold.pid).server };
    };
    const first = await ask(requests);
    await ask(requestsBefore);
    return { first, later: await ask(requests) };
  } finally {
    await framehold.remove();
  }
}

async function untilQuiet(pid: number): Promise<void> {
  for (let before = -1; before !== treeCpuSeconds(pid); await sleep(quietMs)) before = treeCpuSeconds(pid);
}
