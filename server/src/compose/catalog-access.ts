import type { Settings } from '../config/settings.ts';
import { UsageError } from '../config/usage-error.ts';
import type { MarkedCatalog } from '../frames/ports/catalog-mark.ts';
import { CatalogClock } from '../postgres/catalog-clock.ts';
import { PostgresMark } from '../postgres/catalog-mark.ts';
import { Database } from '../postgres/database.ts';
import { migrate } from '../postgres/migrations.ts';
import { databaseOptions } from './catalog-database.ts';

/** The catalog in PostgreSQL as commands use it: beside nodes, and not as one of them. */
export interface CatalogAccess {
  readonly database: Database;
  readonly clock: CatalogClock;
  readonly mark: MarkedCatalog;
}

/** Commands do a few things at a time. */
const connectionsMax = 4;

/** `timeoutMs`: for a statement; that of the settings if it is missing. */
export async function composeCatalogAccess(
  settings: Settings,
  made: AsyncDisposableStack,
  timeoutMs?: number,
): Promise<CatalogAccess> {
  const options = databaseOptions(settings);
  if (options === null) throw new UsageError('This command needs catalog.url, and storage.url for a bucket.');
  await migrate(options);
  const database = made.adopt(
    new Database({ ...options, connectionsMax, timeoutMs: timeoutMs ?? options.timeoutMs }),
    (open) => open.close(),
  );
  const clock = made.adopt(await CatalogClock.open(database), (open) => open.close());
  return { database, clock, mark: new PostgresMark(database) };
}
