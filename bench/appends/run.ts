/**
 * Ten thousand appends of 100 rows to one name, one after another: what an append costs at the beginning and at the end, and what
 * reading the frame costs beside the same rows put at once. `node bench/appends/run.ts [appends]`
 */
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { measureAppends } from './measure.ts';

const appends = Number(process.argv[2] ?? 10_000);

const framehold = await Framehold.start({ command: builtCommand });
try {
  const measured = await measureAppends(framehold, appends, Math.min(500, Math.floor(appends / 4)), 7, 5_000);
  const { firstAppends, lastAppends, freshAppends, parts, compactionWaitMs, reads } = measured;
  const ratio = (a: number, b: number) => (a / b).toFixed(2);
  console.log(
    `append: first ${firstAppends.toFixed(2)} ms, last ${lastAppends.toFixed(2)} ms, ratio ${ratio(lastAppends, firstAppends)}; to a fresh frame beside the last ${freshAppends.toFixed(2)} ms, ratio ${ratio(lastAppends, freshAppends)}`,
  );
  console.log(
    `parts after compaction: ${parts}, ${(compactionWaitMs / 1000).toFixed(1)} s after the last append`,
  );
  for (const [way, { appended, whole }] of Object.entries(reads))
    console.log(
      `${way.padEnd(14)} appended ${appended.toFixed(1)} ms, at once ${whole.toFixed(1)} ms, ratio ${ratio(appended, whole)}`,
    );
} finally {
  await framehold.remove();
}
