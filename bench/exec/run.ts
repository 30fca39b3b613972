/**
 * `/exec` side by side with the real QuestDB, on this machine, 8 connections: the same 1,000 rows × 4 held by Framehold and
 * by QuestDB, and QuestDB asked through Framehold. `node bench/exec/run.ts [seconds] [rounds]`
 */
import { putFrame } from '../../server/test/support/frame-client.ts';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { questdbExec, questdbRows, startQuestdb } from '../../server/test/support/questdb-process.ts';
import { wrk } from './wrk.ts';

const seconds = Number(process.argv[2] ?? 5);
const rounds = Number(process.argv[3] ?? 3);

const questdb = await startQuestdb();
const framehold = await Framehold.start({
  command: builtCommand,
  env: { SERVICE_TSDB_HTTP_URL: questdb.url },
});
try {
  await questdbExec(
    questdb.url,
    `create table ticks as (select x id, x * 1.25 price, timestamp_sequence('2024-01-01', 1000000) ts,
     cast('name-' || x as string) name from long_sequence(1000)) timestamp(ts) partition by day`,
  );
  await questdbRows(questdb.url, 'ticks', 1000);
  const { ticks } = await arrowBytes({
    ticks: `pa.table({'id': pa.array(range(1, 1001), pa.int64()), 'price': [x * 1.25 for x in range(1, 1001)],
      'ts': pa.array([1704067200000000 + x * 1000000 for x in range(1000)], pa.timestamp('us')),
      'name': [f'name-{x}' for x in range(1, 1001)]})`,
  });
  await putFrame(framehold.url, 'ticks', ticks);

  const select = encodeURIComponent('select id, price, ts, name from ticks');
  const urls = {
    'held frame': `${framehold.url}/exec?handle=ticks&fmt=json`,
    'QuestDB directly': `${questdb.url}/exec?query=${select}&fmt=json`,
    'QuestDB through the proxy': `${framehold.url}/exec?query=${select}&fmt=json`,
    'select 1, directly': `${questdb.url}/exec?query=select%201&fmt=json`,
    'select 1, through the proxy': `${framehold.url}/exec?query=select%201&fmt=json`,
  };
  await assertSameRows(urls['held frame'], urls['QuestDB directly']);

  const best = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    for (const [title, url] of Object.entries(urls)) {
      const { requestsPerSecond, failures } = await wrk(url, seconds);
      if (failures > 0) throw new Error(`${title}: ${failures} requests failed`);
      best.set(title, Math.max(best.get(title) ?? 0, requestsPerSecond));
    }
  }
  const rate = (title: keyof typeof urls) => best.get(title) ?? Number.NaN;
  for (const [title, requestsPerSecond] of best)
    console.log(`${title.padEnd(28)} ${requestsPerSecond.toFixed(0)} requests/s`);
  const ratio = (text: string, value: number) => console.log(`${text.padEnd(28)} ${value.toFixed(2)}`);
  ratio('held frame / QuestDB', rate('held frame') / rate('QuestDB directly'));
  ratio('proxy / QuestDB', rate('QuestDB through the proxy') / rate('QuestDB directly'));
  ratio('proxy / QuestDB, select 1', rate('select 1, through the proxy') / rate('select 1, directly'));
} finally {
  await framehold.remove();
  await questdb.stop();
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
