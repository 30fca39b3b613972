import { join } from 'node:path';
import { openDatabase } from '../../server/src/catalog/sqlite/layout.ts';
import { openSqliteCatalog } from '../../server/src/catalog/sqlite/sqlite-catalog.ts';
import { createOperations } from '../../server/src/catalog/sqlite/thread/operations.ts';
import { change } from '../../server/test/catalog/change-builder.ts';

export interface CatalogMeasures {
  /** Milliseconds until the catalog answers. */
  readonly open: number;
  /** Medians, in microseconds, of what no cache holds. */
  readonly resolve: number;
  readonly firstPage: number;
}

const tenant = 'default';
const pageLimit = 100;
/** Commits in flight: fewer than the catalog lets wait. */
const flight = 4_000;

/** Names through the catalog's own port, each with one version and one part. The first of them may be there already. */
export async function seedNames(directory: string, names: number, first = 0): Promise<void> {
  const catalog = await openSqliteCatalog({ path: join(directory, 'catalog.sqlite') });
  try {
    for (let done = first; done < names; done += flight) {
      const count = Math.min(flight, names - done);
      await Promise.all(
        Array.from({ length: count }, (_, index) =>
          catalog.commit(change(nameOf(done + index), 'create', { tenant })),
        ),
      );
    }
  } finally {
    await catalog.close();
  }
}

export async function measureCatalog(
  directory: string,
  names: number,
  rounds: number,
): Promise<CatalogMeasures> {
  const path = join(directory, 'catalog.sqlite');
  const began = performance.now();
  const catalog = await openSqliteCatalog({ path });
  await catalog.ping();
  const open = performance.now() - began;
  await catalog.close();
  // On the catalog's own tables, without threads between: a trip to another thread would hide what the tables cost.
  const database = openDatabase(path);
  try {
    const { all: operations } = createOperations(database);
    const now = Date.now();
    const pick = () => nameOf(Math.floor(Math.random() * names));
    const resolve = microseconds(rounds, () => operations.resolve(tenant, pick(), null, now));
    const page = { prefix: '', after: null, limit: pageLimit };
    const firstPage = microseconds(rounds, () => operations.list(tenant, page, now));
    return { open, resolve, firstPage };
  } finally {
    database.close();
  }
}

/** Spread over the alphabet, as names of people are; not in the order in which they were made. */
export function nameOf(index: number): string {
  return `${((index * 2_654_435_761) % 2 ** 32).toString(36)}-${index}`;
}

function microseconds(rounds: number, work: () => unknown): number {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    work();
    times.push((performance.now() - began) * 1000);
  }
  // The first ones warm the statements and the pages that every lookup needs.
  const sorted = times.slice(Math.floor(rounds / 10)).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
