import { Framehold, type FrameholdOptions } from '../framehold-process.ts';
import { GrpcRoundRobin } from './grpc-round-robin.ts';
import { HttpRoundRobin } from './http-round-robin.ts';

/** One server of a cluster. Its addresses stay the same when it is started again, and bring the credential of the cluster's caller. */
export class ClusterNode {
  readonly framehold: Framehold;
  readonly #http: HttpRoundRobin;
  readonly #grpc: GrpcRoundRobin;
  /** Between a kill and the next start nobody asks it. */
  #isUp = false;

  private constructor(framehold: Framehold, http: HttpRoundRobin, grpc: GrpcRoundRobin) {
    this.framehold = framehold;
    this.#http = http;
    this.#grpc = grpc;
  }

  static async prepare(options: FrameholdOptions, credential: () => string | null): Promise<ClusterNode> {
    const framehold = Framehold.prepare(options);
    const here = (url: () => string) => ({ targets: () => (node.isUp ? [url()] : []), credential });
    const [http, grpc] = await Promise.all([
      HttpRoundRobin.start(here(() => framehold.url)),
      GrpcRoundRobin.start(here(() => framehold.grpcUrl)),
    ]);
    const node = new ClusterNode(framehold, http, grpc);
    return node;
  }

  get isUp(): boolean {
    return this.#isUp && this.framehold.exit === null;
  }

  get url(): string {
    return this.#http.url;
  }

  get grpcUrl(): string {
    return this.#grpc.url;
  }

  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.framehold.start(env);
    this.#isUp = true;
  }

  /** kill -9 */
  async kill(): Promise<void> {
    this.#isUp = false;
    await this.framehold.kill();
  }

  /** SIGTERM; requests that are under way end. */
  async stop(): Promise<void> {
    this.#isUp = false;
    await this.framehold.stop();
  }

  /** SIGSTOP: it holds its sockets and answers nothing. */
  pause(): void {
    this.framehold.signal('SIGSTOP');
  }

  resume(): void {
    this.framehold.signal('SIGCONT');
  }

  async remove(): Promise<void> {
    this.#isUp = false;
    if (this.framehold.isStarted) this.resume();
    await this.framehold.remove();
    await Promise.all([this.#http.stop(), this.#grpc.stop()]);
  }
}
