/**
 * A catalog of a million names beside one of a thousand: opening it, looking up a name, the first page of the list; and the start of the
 * whole server on it. `node bench/catalog/run.ts [names]`
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { type CatalogMeasures, measureCatalog, nameOf, seedNames } from './measure.ts';

const many = Number(process.argv[2] ?? 1_000_000);
const few = 1_000;

const small = temporaryFolder('few-names');
const home = temporaryFolder('many-names');
const data = join(home, 'data');
try {
  await seedNames(small, few);
  // The server makes the directory its own first; the names come into its catalog.
  mkdirSync(data, { recursive: true });
  const framehold = await Framehold.start({ command: builtCommand, home });
  await framehold.stop();
  const seeding = performance.now();
  await seedNames(data, many);
  console.log(`${many} names seeded in ${((performance.now() - seeding) / 1000).toFixed(0)} s`);

  const before = await measureCatalog(small, few, 20_000);
  const after = await measureCatalog(data, many, 20_000);
  for (const key of ['open', 'resolve', 'firstPage'] as const satisfies (keyof CatalogMeasures)[])
    console.log(
      `${key.padEnd(10)} ${few} names ${before[key].toFixed(1)}, ${many} names ${after[key].toFixed(1)}, ratio ${(after[key] / before[key]).toFixed(2)}`,
    );

  const starting = performance.now();
  await framehold.start();
  const ready = await fetch(`${framehold.url}/readyz`);
  console.log(
    `server ready (${ready.status}) ${((performance.now() - starting) / 1000).toFixed(2)} s after its start`,
  );
  const found = await fetch(`${framehold.url}/v1/frames/${nameOf(Math.floor(many / 2))}`);
  const page = await fetch(`${framehold.url}/v1/frames?limit=100`);
  console.log(`a name: ${found.status}, the first page: ${page.status}`);
  await framehold.stop();
} finally {
  removeFolder(home);
  removeFolder(small);
}
