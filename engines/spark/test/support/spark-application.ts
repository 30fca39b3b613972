/** What Spark itself says about its jobs and stages: the driver's REST API. */
export interface SparkStage {
  readonly stageId: number;
  readonly status: string;
  readonly numTasks: number;
  readonly numActiveTasks: number;
  readonly numCompleteTasks: number;
  readonly numFailedTasks: number;
  readonly shuffleWriteBytes: number;
  readonly shuffleReadBytes: number;
}

export interface SparkJob {
  readonly jobId: number;
  readonly status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'UNKNOWN';
}

export interface SparkExecutor {
  readonly id: string;
  readonly isActive: boolean;
  readonly activeTasks: number;
}

export class SparkApplication {
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  async runningJobs(): Promise<readonly SparkJob[]> {
    return await this.#get<SparkJob[]>('jobs?status=running');
  }

  async activeStages(): Promise<readonly SparkStage[]> {
    return await this.#get<SparkStage[]>('stages?status=active');
  }

  async stages(): Promise<readonly SparkStage[]> {
    return await this.#get<SparkStage[]>('stages');
  }

  /** Without the driver. */
  async executors(): Promise<readonly SparkExecutor[]> {
    const all = await this.#get<SparkExecutor[]>('executors');
    return all.filter(({ id, isActive }) => id !== 'driver' && isActive);
  }

  async #get<Answer>(path: string): Promise<Answer> {
    const base = `http://127.0.0.1:${this.#port}/api/v1/applications`;
    const [application] = (await (await fetch(base)).json()) as { readonly id: string }[];
    if (application === undefined) throw new Error('Spark has no application');
    const answer = await fetch(`${base}/${application.id}/${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
}
