/**
 * Random tables over every type come out of every door as they went in: as they were put, transcoded, compacted, and after their Arrow forms have gone.
 * That each of these has happened is read from the catalog. `DIFFERENTIAL_TABLES` tables from `DIFFERENTIAL_SEED` on; what fails names its seed.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type CatalogPart, catalogParts } from '../../server/test/support/catalog-file.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { runPython } from '../../server/test/support/python.ts';

const script = join(import.meta.dirname, 'run.py');
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 1);
const tables = Number(process.env.DIFFERENTIAL_TABLES ?? 24);
/** A table takes a second or two for all of its doors; the long run takes hours. */
const timeoutMs = 120_000 + tables * 30_000;

interface Report {
  readonly faults: readonly string[];
  readonly comparisons: number;
  readonly cells: number;
  /** Of how many puts each frame was made. */
  readonly pieces: Readonly<Record<string, number>>;
}

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({
    // Every append is compacted as soon as it may be: no version but the newest is kept.
    env: { FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '200', FRAMEHOLD_FRAMES_VERSIONS_KEEP: '1' },
  });
});
after(() => framehold.remove());

async function run(put: boolean): Promise<Report> {
  const request = { http: framehold.url, grpc: framehold.grpcUrl, seeds: [seed, tables], put };
  return (await runPython([script], request, timeoutMs)) as Report;
}

async function assertEqual(stage: string, print: (line: string) => void): Promise<void> {
  const { faults, comparisons, cells } = await run(false);
  print(`${stage}: ${comparisons} comparisons of ${cells} cells`);
  assert.equal(faults.length, 0, `${stage}:\n${faults.join('\n')}`);
  assert.equal(comparisons, tables * 12, 'every door of every table');
}

test('random tables are the same through every door, in every form that they take', async (t) => {
  const print = (line: string) => t.diagnostic(line);
  const { faults, pieces } = await run(true);
  assert.equal(faults.length, 0, faults.join('\n'));
  await assertEqual('as put', print);

  const many = Object.keys(pieces).filter((name) => (pieces[name] as number) >= 10);
  assert.ok(many.length >= tables / 6, 'many are made of many puts');
  await framehold.until('compacted parts', () => (many.every((name) => partsOf(name) < 10) ? true : null));
  await assertEqual('merged', print);

  const transcoded = await framehold.until('settled frames', () => partsIf(isTranscoded));
  const withParquet = transcoded.filter(({ parquet }) => parquet !== 'none').length;
  assert.ok(
    withParquet >= transcoded.length / 2,
    `${withParquet} of ${transcoded.length} parts have Parquet`,
  );
  await assertEqual('transcoded', print);

  await framehold.stop();
  // No room for Arrow forms beside Parquet: all that may go, goes.
  await framehold.start({ SERVICE_CACHE_SIZE: '0' });
  const evicted = await framehold.until('evicted Arrow forms', () =>
    partsIf(({ parquet, hasArrow }) => parquet !== 'exact' || !hasArrow),
  );
  assert.ok(evicted.filter(({ hasArrow }) => !hasArrow).length >= tables / 6, 'some have Parquet only');
  await assertEqual('evicted', print);
});

const isTranscoded = ({ parquet, refusal }: CatalogPart) => parquet !== 'none' || refusal !== null;

function partsIf(holds: (part: CatalogPart) => boolean): readonly CatalogPart[] | null {
  const parts = catalogParts(framehold.dataDirectory);
  return parts.every(holds) ? parts : null;
}

function partsOf(name: string): number {
  return catalogParts(framehold.dataDirectory).filter((part) => part.name === name).length;
}
