import { MemoryPreparedStatements } from '../../src/cluster/memory-prepared-statements.ts';
import type { FlightListener, FlightListenerOptions } from '../../src/flight/listener.ts';
import { startFlightListener } from '../../src/flight/listener.ts';
import { AccessGuard } from '../../src/frames/access/access-guard.ts';
import { Audit } from '../../src/frames/access/audit.ts';
import type { Notes } from '../../src/frames/notes/notes.ts';
import type { Sharing } from '../../src/frames/sharing/sharing.ts';
import type { Tags } from '../../src/frames/tags/tags.ts';
import type { Authenticator } from '../../src/ports/authenticator.ts';
import type { Observation } from '../../src/ports/observation.ts';
import type { Sql } from '../../src/sql/sql.ts';
import { openAuthenticator } from '../frames/open-authenticator.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { FileFrames, FileRenderer } from './file-frames.ts';
import { PyArrowClient } from './pyarrow-client.ts';

/** For tests that send no statements. */
const withoutSql: Sql = {
  prepare: () => {
    throw new Error('this test has no SQL');
  },
  vocabulary: () => Promise.reject(new Error('this test has no SQL')),
  queries: () => Promise.resolve([]),
  query: () => Promise.reject(new Error('not asked')),
  cancel: () => Promise.resolve(),
};

export const manyConnections = { maxConnections: 100, unauthenticatedMax: 25, perAddressMax: 0 };

/** A listener over a small core, and pyarrow to talk to it. */
export class Harness implements AsyncDisposable {
  readonly folder = temporaryFolder('flight');
  readonly frames = new FileFrames(this.folder);
  readonly observations: Observation[] = [];
  readonly python = new PyArrowClient();
  #listener: FlightListener | null = null;

  static async start(
    options: Partial<FlightListenerOptions> & {
      readonly preparedMax?: number;
      readonly isReady?: () => Promise<boolean>;
    } = {},
    sqlOver: (frames: FileFrames) => Sql = () => withoutSql,
    authenticator: Authenticator = openAuthenticator,
  ): Promise<Harness> {
    const harness = new Harness();
    const where = { host: '127.0.0.1', port: 0, connections: manyConnections, publicUrl: null, ...options };
    const observe = (observation: Observation) => harness.observations.push(observation);
    const sql = sqlOver(harness.frames);
    const parts = {
      frames: harness.frames,
      sharing: {} as Sharing,
      tags: {} as Tags,
      notes: {} as Notes,
      access: new AccessGuard(new Audit(observe)),
      renderer: new FileRenderer(),
      observe,
      sql,
      prepared: new MemoryPreparedStatements({ countMax: options.preparedMax ?? 1_000 }),
      authenticator,
      certificates: null,
      nodes: null,
      isReady: options.isReady ?? (async () => true),
    };
    try {
      harness.#listener = await startFlightListener(where, parts);
    } catch (error) {
      harness.python.kill();
      throw error;
    }
    await harness.python.run(`state['client'] = fl.connect(input)`, harness.url);
    return harness;
  }

  get listener(): FlightListener {
    if (this.#listener === null) throw new Error('not started');
    return this.#listener;
  }

  get url(): string {
    const { address } = this.listener;
    return address.startsWith('unix:') ? `grpc+unix://${address.slice(5)}` : `grpc://${address}`;
  }

  events<Name extends Observation['event']>(name: Name): Extract<Observation, { event: Name }>[] {
    return this.observations.filter(
      (each): each is Extract<Observation, { event: Name }> => each.event === name,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.python.kill();
    await this.listener.close(0);
    removeFolder(this.folder);
  }
}
