import { Cluster } from '../../../../server/test/support/cluster/cluster.ts';
import type { ClusterNode } from '../../../../server/test/support/cluster/cluster-node.ts';
import { SparkCluster, type SparkClusterOptions } from './spark-cluster.ts';

export interface SparkSiteOptions {
  /** Settings of all nodes, by the names of their flags. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly spark?: Omit<SparkClusterOptions, 's3'>;
}

/** All that distributed SQL is made of: two nodes of Framehold over PostgreSQL and S3, and a cluster of Spark over the same S3. */
export class SparkSite {
  readonly framehold: Cluster;
  readonly spark: SparkCluster;

  private constructor(framehold: Cluster, spark: SparkCluster) {
    this.framehold = framehold;
    this.spark = spark;
  }

  static async start(options: SparkSiteOptions = {}): Promise<SparkSite> {
    const framehold = await Cluster.prepare();
    try {
      const spark = await SparkCluster.start({
        ...options.spark,
        s3: framehold.parts.s3,
        // Many tasks, so that a worker can be lost between them.
        conf: { 'spark.sql.files.maxPartitionBytes': '16m', ...options.spark?.conf },
      });
      const settings = { 'spark-url': spark.url, ...options.settings };
      for (let index = 0; index < 2; index++) {
        const node = await framehold.addNode({ settings });
        await node.start();
      }
      await framehold.makeCredential();
      return new SparkSite(framehold, spark);
    } catch (error) {
      await framehold.remove();
      throw error;
    }
  }

  get nodes(): readonly ClusterNode[] {
    return this.framehold.nodes;
  }

  /** A frame that the default engine makes: quicker than an upload of the same rows. */
  async make(name: string, sql: string): Promise<void> {
    await this.rows(`create table ${name} as ${sql}`, 'duckdb');
  }

  /** The cells of an answer, as texts of JSON have them. */
  async rows(sql: string, engine: 'duckdb' | 'spark' = 'spark', signal?: AbortSignal): Promise<unknown[][]> {
    const answer = await this.send({ sql, engine }, signal);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text}`);
    return (JSON.parse(text) as { readonly dataset?: unknown[][] }).dataset ?? [];
  }

  async send(request: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Response> {
    return await fetch(`${this.framehold.url}/v1/sql?fmt=json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      ...(signal ? { signal } : {}),
    });
  }

  async remove(): Promise<void> {
    await this.spark.stop();
    await this.framehold.remove();
  }
}
