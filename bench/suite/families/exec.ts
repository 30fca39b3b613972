import { putFrame } from '../../../server/test/support/frame-client.ts';
import { builtCommand, Framehold } from '../../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../../server/test/support/python.ts';
import { questdbExec, questdbRows, startQuestdb } from '../../../server/test/support/questdb-process.ts';
import { wrk } from '../../load/wrk.ts';
import type { BenchmarkCase, CaseFamily, OpenFamily, Sides, Size } from '../benchmark-case.ts';
import { measureLoad } from '../measure-load.ts';
import { frameOfTicks, selectTicks, ticksTable } from '../ticks.ts';

const common = { quantity: 'rate', unit: 'requests/s', peer: 'QuestDB' } as const;

const held: BenchmarkCase = {
  ...common,
  name: 'exec-held',
  title: '/exec of a held frame, 1,000 rows',
  targets: [{ of: 'ratio', atLeast: 5 }],
};
const proxyRows: BenchmarkCase = {
  ...common,
  name: 'exec-proxy-rows',
  title: '/exec?query= forwarded, 1,000 rows',
  targets: [{ of: 'ratio', atLeast: 0.8 }],
};
const proxySelect: BenchmarkCase = {
  ...common,
  name: 'exec-proxy-select-1',
  title: '/exec?query= forwarded, select 1',
  targets: [{ of: 'ratio', atLeast: 0.35 }],
};

/** `/exec` with eight connections: the same 1,000 rows × 4 held by Framehold and by QuestDB, and QuestDB through Framehold. */
export const exec: CaseFamily = { name: 'exec', cases: [held, proxyRows, proxySelect], open };

async function open({ loadSeconds: seconds }: Size): Promise<OpenFamily> {
  await using opened = new AsyncDisposableStack();
  const questdb = opened.adopt(await startQuestdb(), (each) => each.stop());
  const framehold = opened.adopt(
    await Framehold.start({ command: builtCommand, env: { SERVICE_TSDB_HTTP_URL: questdb.url } }),
    (each) => each.remove(),
  );
  await questdbExec(questdb.url, ticksTable);
  await questdbRows(questdb.url, 'ticks', 1000);
  await putFrame(framehold.url, 'ticks', (await arrowBytes({ ticks: frameOfTicks })).ticks);

  const selectOne = '/exec?query=select%201&fmt=json';
  await assertSameRows(`${framehold.url}/exec?handle=ticks&fmt=json`, questdb.url + selectTicks);
  // Its compiler is still at work during the first requests.
  await wrk(questdb.url + selectTicks, { seconds: Math.max(2, seconds) });
  const sides = (ours: string, theirs: string): Sides => ({
    framehold: () => measureLoad(framehold.pid, framehold.url + ours, { seconds }),
    peer: () => measureLoad(questdb.pid, questdb.url + theirs, { seconds }),
  });
  const closing = opened.move();
  return {
    sides: {
      [held.name]: sides('/exec?handle=ticks&fmt=json', selectTicks),
      [proxyRows.name]: sides(selectTicks, selectTicks),
      [proxySelect.name]: sides(selectOne, selectOne),
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** The comparison is fair only if both answer with the same rows. */
async function assertSameRows(one: string, other: string): Promise<void> {
  const datasets = await Promise.all(
    [one, other].map(async (url) =>
      JSON.stringify(((await (await fetch(url)).json()) as { dataset: unknown }).dataset),
    ),
  );
  if (datasets[0] !== datasets[1])
    throw new Error(`different rows:\n${datasets.map((text) => text.slice(0, 200)).join('\n')}`);
}
