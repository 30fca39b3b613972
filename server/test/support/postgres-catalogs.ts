import {
  openPostgresCatalog,
  type PostgresCatalogOptions,
} from '../../src/catalog/postgres/postgres-catalog.ts';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import { Database } from '../../src/postgres/database.ts';
import { migrate } from '../../src/postgres/migrations.ts';
import { patienceMs } from './patience.ts';
import { PostgresServer } from './postgres-server.ts';

/** A PostgreSQL server with a catalog for each test. */
export class PostgresCatalogs {
  readonly server: PostgresServer;
  readonly #template: string;

  private constructor(server: PostgresServer, template: string) {
    this.server = server;
    this.#template = template;
  }

  static async start(server?: PostgresServer): Promise<PostgresCatalogs> {
    const started = server ?? (await PostgresServer.start());
    const url = await started.newDatabase();
    await migrate({ url, connectionsMax: 1, timeoutMs: 10_000 });
    return new PostgresCatalogs(started, new URL(url).pathname.slice(1));
  }

  /** The URL of an empty catalog. */
  empty(): Promise<string> {
    return this.server.newDatabase(this.#template);
  }

  /** An empty catalog, which closes its connections with itself. */
  async open(): Promise<Catalog> {
    return openAt(await this.empty());
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}

/** As one node has it: with connections of its own. A test that makes a thousand changes at once waits for them on a slow machine, too. */
export function openAt(url: string, options: PostgresCatalogOptions & { timeoutMs?: number } = {}): Catalog {
  const database = new Database({ url, connectionsMax: 8, timeoutMs: options.timeoutMs ?? patienceMs });
  const catalog = openPostgresCatalog(database, options);
  const close = catalog.close.bind(catalog);
  let closed: Promise<void> | null = null;
  return Object.assign(catalog, {
    close: () => {
      closed ??= close().then(() => database.close());
      return closed;
    },
  });
}
