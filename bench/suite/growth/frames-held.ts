import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../../../server/test/support/frame-client.ts';
import { builtCommand, Framehold } from '../../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { nameOf, seedNames } from '../../catalog/measure.ts';
import { treeCpuSeconds } from '../../sql/process-tree.ts';
import type { Sides } from '../benchmark-case.ts';
import { measureLoad } from '../measure-load.ts';
import { measureTree } from '../measure-tree.ts';
import { PythonWorker } from '../python-worker.ts';
import type { GrowthAxis, OpenAxis } from './growth-axis.ts';

const peer = 'SQLite in Python';

export const framesHeld: GrowthAxis = {
  name: 'frames',
  label: 'frames held',
  range: [1e3, 1e6],
  stepsPerDecade: 1,
  workloads: [
    {
      name: 'look-up',
      title: 'Manifest of one of the names',
      peer,
      unit: 'request',
      quantities: ['cpu', 'memory'],
    },
    { name: 'list', title: 'First page of the list, 100 names', peer, unit: 'request', quantities: ['cpu'] },
    {
      name: 'put',
      title: 'Put of a small frame',
      peer: 'a file and a row, with fsync',
      unit: 'put',
      quantities: ['cpu', 'time'],
    },
  ],
  open,
};

const seconds = 2;
const connections = 4;
const lookups = 20_000;
const pages = 500;
const puts = 100;
/** Of those that are there, spread over all. */
const namesAsked = 5_000;
const restLookMs = 1_000;
const restLooksMax = 120;
/** Of a core. */
const restShare = 0.05;

async function open(): Promise<OpenAxis> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(temporaryFolder('frames-held'), removeFolder);
  const worker = opened.use(await PythonWorker.start());
  const framehold = opened.adopt(
    // The names are seeded into the catalog and have no rows to transcode.
    await Framehold.start({ command: builtCommand, flags: ['--transcode-threads', '0'] }),
    (each) => each.remove(),
  );
  const { small } = await arrowBytes({ small: "pa.table({'id': pa.array(range(100), pa.int64())})" });
  const script = join(import.meta.dirname, '..', '..', 'load', 'paths.lua');
  const paths = join(folder, 'paths');
  let held = 0;
  let putCount = 0;
  const at = async (count: number): Promise<Record<string, Sides>> => {
    await framehold.stop();
    await seedNames(framehold.dataDirectory, count, held);
    held = count;
    await framehold.start();
    await atRest(framehold.pid);
    const path = join(folder, `names-${count}.sqlite`);
    await worker.do('open_names', { path, count });
    const asked = Array.from({ length: Math.min(count, namesAsked) }, (_, index) =>
      nameOf((index * 7919) % count),
    );
    writeFileSync(paths, asked.map((name) => `/v1/frames/${name}\n`).join(''));
    const load = (script?: { file: string; args: string[] }) => ({
      seconds,
      connections,
      ...(script === undefined ? {} : { script }),
    });
    return {
      'look-up': {
        framehold: () => measureLoad(framehold.pid, framehold.url, load({ file: script, args: [paths] })),
        peer: () => worker.do('look_up', { path, count, lookups }),
      },
      list: {
        framehold: () => measureLoad(framehold.pid, `${framehold.url}/v1/frames?limit=100`, load()),
        peer: () => worker.do('list_names', { path, pages }),
      },
      put: {
        framehold: () =>
          measureTree(framehold.pid, async () => {
            for (let done = 0; done < puts; done++)
              await send(framehold.url, `/v1/frames/new-${putCount++}`, small, { status: 201 });
            return { work: puts };
          }),
        peer: () => worker.do('put_names', { path, folder, puts }),
      },
    };
  };
  const closing = opened.move();
  return { at, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** What a server does with its catalog after a start must not count as the cost of requests. */
async function atRest(pid: number): Promise<void> {
  for (let looks = 0; looks < restLooksMax; looks++) {
    const before = treeCpuSeconds(pid);
    await sleep(restLookMs);
    if (treeCpuSeconds(pid) - before < (restLookMs / 1_000) * restShare) return;
  }
}
