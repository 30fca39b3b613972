import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { getText } from '../frame-client.ts';
import { timePasses } from '../passing-time.ts';
import { eventually } from '../patience.ts';
import type { BodyFault } from '../s3-body-faults.ts';
import { S3FaultProxy } from '../s3-fault-proxy.ts';
import { type Passage, Toxiproxy } from '../toxiproxy-process.ts';
import type { AcknowledgedWrites } from './acknowledged-writes.ts';
import { Cluster } from './cluster.ts';
import type { ClusterNode } from './cluster-node.ts';

/** Loaded by every node; it does nothing unless the node is started with another clock. */
const clockModule = join(import.meta.dirname, 'clock-ahead.ts');
const clockOffMs = 10 * 60_000;
/** How long most faults last: some requests begin in them, and some end. */
const faultMs = 1_500;
/** Longer than others wait for the sign of a node, and than the leases of a test's jobs. */
const freezeMs = 12_000;

/** Three nodes, with a place on each way to the parts where something can go wrong. */
export class FaultyCluster {
  readonly cluster: Cluster;
  readonly #toxiproxy: Toxiproxy;
  readonly #postgresWay: Passage;
  readonly #s3Way: S3FaultProxy;

  private constructor(cluster: Cluster, toxiproxy: Toxiproxy, postgresWay: Passage, s3Way: S3FaultProxy) {
    this.cluster = cluster;
    this.#toxiproxy = toxiproxy;
    this.#postgresWay = postgresWay;
    this.#s3Way = s3Way;
  }

  static async start(): Promise<FaultyCluster> {
    const toxiproxy = await Toxiproxy.start();
    let postgresWay: Passage | undefined;
    let s3Way: S3FaultProxy | undefined;
    const cluster = await Cluster.start({
      ownParts: true,
      imports: [clockModule],
      settings: {
        'frames-versions-keep': '20',
        'frames-undrop-hours': '0',
        'jobs-sweep-interval-ms': '1000',
        'jobs-garbage-delay-ms': '5000',
        'catalog-timeout-ms': '3000',
        'server-drain-delay-ms': '0',
      },
      catalogUrl: async (url) => {
        postgresWay = await toxiproxy.before(url);
        return url.replace(new URL(url).host, new URL(postgresWay.url).host);
      },
      s3Endpoint: async (url) => {
        s3Way = await S3FaultProxy.start(url);
        return s3Way.endpoint;
      },
    });
    return new FaultyCluster(cluster, toxiproxy, postgresWay as Passage, s3Way as S3FaultProxy);
  }

  async remove(): Promise<void> {
    await this.cluster.remove();
    await this.#s3Way.stop();
    await this.#toxiproxy.stop();
  }

  /** All nodes are up and say that they are ready. */
  async isWell(): Promise<void> {
    for (const { url } of this.cluster.nodes)
      await eventually('the node is ready', async () => (await getText(`${url}/readyz`)).status === 200);
  }

  /** What can go wrong, by the name under which it is counted. Each ends with the cause gone, not with its effects. */
  readonly faults: Readonly<Record<string, (writes: AcknowledgedWrites) => Promise<void>>> = {
    'a node is killed': () => this.#killed(1),
    'two nodes are killed': () => this.#killed(2),
    'all nodes are killed': () => this.#killed(3),
    'a node is frozen for 12 s': async () => {
      const node = this.#anyNode();
      node.pause();
      await timePasses(freezeMs, 'the others take it for dead');
      node.resume();
    },
    'a node is restarted': async () => {
      const node = this.#anyNode();
      await node.stop();
      await node.start();
    },
    'a node with a clock 10 min ahead': () => this.#otherClock(clockOffMs),
    'a node with a clock 10 min behind': () => this.#otherClock(-clockOffMs),
    'PostgreSQL is restarted': () => this.#postgresDown('SIGINT'),
    'PostgreSQL crashes': () => this.#postgresDown('SIGQUIT'),
    'PostgreSQL hangs': async () => {
      const { postgres } = this.cluster.parts;
      postgres.pause();
      await timePasses(4_000, 'statements are given up');
      postgres.resume();
    },
    'PostgreSQL is cut off': async () => {
      await this.#postgresWay.close();
      await timePasses(faultMs, 'the cut');
      await this.#postgresWay.open();
    },
    'PostgreSQL is slow': async () => {
      await this.#postgresWay.poison({ type: 'latency', attributes: { latency: 300, jitter: 200 } });
      await timePasses(faultMs, 'the delay');
      await this.#postgresWay.heal();
    },
    'PostgreSQL cannot write its log': () => this.#fullDisk(),
    'PostgreSQL fails over without its last transactions': (writes) => this.#failOver(writes),
    'S3 refuses': () => this.#s3('refuse'),
    'S3 does it and its answer is lost': () => this.#s3('lose'),
    'S3 answers 200 with an error': () => this.#s3('spoil'),
    'S3 is slow': (writes) => this.#bodies(writes, 1, 'delay'),
    'S3 truncates': (writes) => this.#bodies(writes, 0.3, 'shorten', 'cut'),
    'S3 flips bits': (writes) => this.#bodies(writes, 0.3, 'flip'),
    'S3 repeats bytes': (writes) => this.#bodies(writes, 0.3, 'repeat'),
    'S3 has lost an object that has another form': () => this.#lostObject(),
  };

  #anyNode(): ClusterNode {
    const { nodes } = this.cluster;
    return nodes[Math.floor(Math.random() * nodes.length)] as ClusterNode;
  }

  async #killed(count: number): Promise<void> {
    const nodes = this.cluster.nodes.toSorted(() => Math.random() - 0.5).slice(0, count);
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all(nodes.map((node) => node.start()));
  }

  /** It must not be ready, nor do harm. */
  async #otherClock(aheadMs: number): Promise<void> {
    const node = this.#anyNode();
    await node.kill();
    await node.start({ CLOCK_AHEAD_MS: String(aheadMs) });
    await eventually('it is not ready', async () => (await getText(`${node.url}/readyz`)).status === 503);
    await timePasses(faultMs, 'its jobs run');
    await node.stop();
    await node.start();
  }

  async #postgresDown(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const { postgres } = this.cluster.parts;
    await postgres.down(signal);
    await timePasses(500, 'requests find it gone');
    await postgres.up();
  }

  /** As on a full disk it ends at once, and is there again when it can write. */
  async #fullDisk(): Promise<void> {
    const { postgres } = this.cluster.parts;
    for (const pid of postgres.backends())
      try {
        execFileSync('prlimit', ['--pid', String(pid), '--fsize=8192'], { stdio: 'ignore' });
      } catch {
        // It has ended.
      }
    await timePasses(faultMs, 'it recovers by itself');
  }

  async #failOver(writes: AcknowledgedWrites): Promise<void> {
    const { postgres } = this.cluster.parts;
    const moment = performance.now();
    await postgres.keepCopy();
    await writes.more(10);
    await postgres.failOver();
    // What was acknowledged until a moment ago is not there any more.
    const lost = writes.loseSince(moment);
    if (lost > 0)
      for (const { url } of this.cluster.nodes)
        await eventually('the loss is noticed', async () =>
          /^framehold_store_guard 1$/m.test((await getText(`${url}/metrics`)).text),
        );
    await this.cluster.acceptRestore();
  }

  async #s3(what: 'refuse' | 'lose' | 'spoil'): Promise<void> {
    this.#s3Way.interfere = () => (Math.random() < 0.7 ? what : 'pass');
    await timePasses(faultMs, 'requests meet it');
    this.#s3Way.heal();
  }

  async #bodies(writes: AcknowledgedWrites, share: number, ...kinds: readonly BodyFault[]): Promise<void> {
    this.#s3Way.spoilBodies({ share, kinds });
    // Each node has at hand only what it has written itself. A frame of many parts is read again and again, for many seconds.
    const until = performance.now() + faultMs;
    await Promise.all(this.cluster.nodes.map(({ url }) => writes.glance(url, until)));
    await timePasses(faultMs, 'objects are transcoded and compacted');
    this.#s3Way.heal();
  }

  async #lostObject(): Promise<void> {
    const [object] = await this.cluster.query<{ key: string }>(
      `SELECT a.key FROM objects a JOIN parts p ON p.id = a.part
       WHERE a.kind = 'arrow' AND p.parquet_exact = 1 ORDER BY random() LIMIT 1`,
    );
    if (object === undefined) return;
    const client = this.cluster.parts.s3.client();
    try {
      await client.send(
        new DeleteObjectCommand({ Bucket: this.cluster.bucket, Key: `frames/${object.key}` }),
      );
    } finally {
      client.destroy();
    }
  }
}
