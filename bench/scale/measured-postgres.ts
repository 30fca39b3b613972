import { migrate } from '../../server/src/postgres/migrations.ts';
import { PostgresServer } from '../../server/test/support/postgres-server.ts';
import { treeCpuSeconds } from '../sql/process-tree.ts';

/** A PostgreSQL with the settings of a small production server, and what the kernel and its own statistics say of it. */
export class MeasuredPostgres {
  readonly server: PostgresServer;

  private constructor(server: PostgresServer) {
    this.server = server;
  }

  /** With fsync, as in production. */
  static async start(): Promise<MeasuredPostgres> {
    const settings = [
      'shared_buffers=1GB',
      'max_connections=400',
      // One long checkpoint would otherwise fall into one measurement and not into the other.
      'max_wal_size=8GB',
    ];
    return new MeasuredPostgres(await PostgresServer.start({ fsync: true, settings }));
  }

  /** A database with the tables of the catalog; answers its URL. */
  async newCatalog(): Promise<string> {
    const url = await this.server.newDatabase();
    await migrate({ url, connectionsMax: 1, timeoutMs: 60_000 });
    return url;
  }

  query(text: string, url: string): Promise<readonly Record<string, unknown>[]> {
    return this.server.query(text, url);
  }

  /** Of all its processes, also those that have ended. */
  get cpuSeconds(): number {
    return treeCpuSeconds(this.server.pid);
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
