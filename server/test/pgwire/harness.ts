import { AccessGuard } from '../../src/frames/access/access-guard.ts';
import { Audit } from '../../src/frames/access/audit.ts';
import {
  type PostgresListener,
  type PostgresListenerOptions,
  startPostgresListener,
} from '../../src/pgwire/listener.ts';
import type { Authenticator } from '../../src/ports/authenticator.ts';
import type { Observation } from '../../src/ports/observation.ts';
import type { Sql } from '../../src/sql/sql.ts';
import { FileRenderer } from '../flight/file-frames.ts';
import { openAuthenticator } from '../frames/open-authenticator.ts';
import { RawClient, startup } from './raw-client.ts';

/** Statements of these tests need no engine, or wait until they are cancelled. */
const waitingSql: Sql = {
  prepare: () => ({
    describe: () => Promise.reject(new Error('not described here')),
    execute: (_values, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    close: () => Promise.resolve(),
  }),
  vocabulary: () => Promise.reject(new Error('not asked')),
  queries: () => Promise.resolve([]),
  query: () => Promise.reject(new Error('not asked')),
  cancel: () => Promise.resolve(),
};

export interface HarnessOptions extends Partial<Pick<PostgresListenerOptions, 'allowPlaintext'>> {
  readonly times?: Partial<PostgresListenerOptions['times']>;
  readonly limits?: Partial<PostgresListenerOptions['limits']>;
  readonly connections?: Partial<PostgresListenerOptions['connections']>;
  readonly authenticator?: Authenticator;
  readonly sql?: Sql;
  readonly tenants?: readonly string[];
}

/** A listener without an engine, and clients that speak in bytes. */
export class Harness implements AsyncDisposable {
  readonly observations: Observation[] = [];
  readonly #clients: RawClient[] = [];
  #listener: PostgresListener | null = null;

  static async start(options: HarnessOptions = {}): Promise<Harness> {
    const harness = new Harness();
    const observe = (observation: Observation) => harness.observations.push(observation);
    const audit = new Audit(observe);
    harness.#listener = await startPostgresListener(
      {
        address: { host: '127.0.0.1', port: 0 },
        connections: {
          maxConnections: 100,
          unauthenticatedMax: 25,
          perAddressMax: 0,
          ...options.connections,
        },
        limits: {
          tenantConnectionsMax: 50,
          messageBytesMax: 1024 ** 2,
          messageMemoryMax: 2 * 1024 ** 2,
          textBytesMax: 1024 ** 2,
          ...options.limits,
        },
        times: {
          loginMs: 60_000,
          idleMs: 60_000,
          idleTransactionMs: 60_000,
          portalMs: 60_000,
          answerMs: 60_000,
          ...options.times,
        },
        allowPlaintext: options.allowPlaintext ?? true,
      },
      {
        sql: options.sql ?? waitingSql,
        renderer: new FileRenderer(),
        access: new AccessGuard(audit),
        audit,
        authenticator: options.authenticator ?? openAuthenticator,
        isTenant: (name) => (options.tenants ?? []).includes(name),
        nodeNumber: () => 0,
        cancelSecret: () => Buffer.alloc(32, 7),
        certificates: null,
        observe,
      },
    );
    return harness;
  }

  get listener(): PostgresListener {
    if (this.#listener === null) throw new Error('it has not been started');
    return this.#listener;
  }

  /** Connected, and nothing sent. */
  connect(): RawClient {
    const client = new RawClient(this.listener.port);
    this.#clients.push(client);
    return client;
  }

  /** Logged in and ready. */
  async client(parameters?: Readonly<Record<string, string>>): Promise<RawClient> {
    const client = this.connect();
    client.send(startup(undefined, parameters));
    await client.answers();
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client[Symbol.dispose]();
    await this.#listener?.close(0);
  }
}
