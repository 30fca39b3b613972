import { putFrame } from '../../../server/test/support/frame-client.ts';
import { builtCommand, Framehold } from '../../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../../server/test/support/python.ts';
import { questdbExec, questdbRows, startQuestdb } from '../../../server/test/support/questdb-process.ts';
import { wrk } from '../../load/wrk.ts';
import { measureLoad } from '../measure-load.ts';
import { frameOfTicks, selectTicks, ticksTable } from '../ticks.ts';
import type { GrowthAxis, OpenAxis } from './growth-axis.ts';

export const readers: GrowthAxis = {
  name: 'readers',
  label: 'concurrent readers',
  range: [1, 1_000],
  stepsPerDecade: 2,
  workloads: [
    {
      name: 'exec',
      title: '/exec of 1,000 rows',
      peer: 'QuestDB',
      unit: 'request',
      quantities: ['time', 'cpu', 'p99', 'memory'],
    },
  ],
  open,
};

const seconds = 3;

async function open(): Promise<OpenAxis> {
  await using opened = new AsyncDisposableStack();
  const questdb = opened.adopt(await startQuestdb({ QDB_HTTP_NET_CONNECTION_LIMIT: '4096' }), (each) =>
    each.stop(),
  );
  const framehold = opened.adopt(await Framehold.start({ command: builtCommand }), (each) => each.remove());
  await questdbExec(questdb.url, ticksTable);
  await questdbRows(questdb.url, 'ticks', 1000);
  await putFrame(framehold.url, 'ticks', (await arrowBytes({ ticks: frameOfTicks })).ticks);
  const theirs = questdb.url + selectTicks;
  // Its compiler is still at work during the first requests.
  await wrk(theirs, { seconds });
  const closing = opened.move();
  return {
    at: async (connections) => ({
      exec: {
        framehold: () =>
          measureLoad(framehold.pid, `${framehold.url}/exec?handle=ticks&fmt=json`, { seconds, connections }),
        peer: () => measureLoad(questdb.pid, theirs, { seconds, connections }),
      },
    }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
