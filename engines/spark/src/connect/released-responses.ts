import { create } from '@bufbuild/protobuf';
import type { ConnectChannel } from './connect-channel.ts';
import { ReleaseExecuteRequestSchema, SparkConnectService } from './gen/spark/connect/base_pb.js';
import type { SessionIdentity } from './session-identity.ts';

/** A call that takes longer has failed: the next one repeats it. */
const timeoutMs = 5_000;

/** Tells Spark which answers it can forget. One call at a time, for the newest of them; a failed one is made good by the next. */
export class ReleasedResponses {
  readonly #channel: ConnectChannel;
  readonly #identity: () => SessionIdentity;
  readonly #operationId: string;
  #isUnderWay = false;
  #next: string | null = null;
  #isOver = false;

  constructor(channel: ConnectChannel, identity: () => SessionIdentity, operationId: string) {
    this.#channel = channel;
    this.#identity = identity;
    this.#operationId = operationId;
  }

  /** This answer and those before it. */
  until(responseId: string): void {
    this.#next = responseId;
    if (!this.#isUnderWay && !this.#isOver) void this.#release();
  }

  /** The whole execution; Spark stops it if it still runs. */
  all(): void {
    this.#isOver = true;
    void this.#send({ case: 'releaseAll', value: {} });
  }

  async #release(): Promise<void> {
    this.#isUnderWay = true;
    for (let responseId = this.#next; responseId !== null && !this.#isOver; responseId = this.#next) {
      this.#next = null;
      await this.#send({ case: 'releaseUntil', value: { responseId } });
    }
    this.#isUnderWay = false;
  }

  async #send(release: Release): Promise<void> {
    const request = create(ReleaseExecuteRequestSchema, {
      ...this.#identity(),
      operationId: this.#operationId,
      release,
    });
    // Spark also forgets by itself, later.
    await this.#channel
      .ask(SparkConnectService.method.releaseExecute, request, { timeoutMs })
      .catch(() => {});
  }
}

type Release =
  | { readonly case: 'releaseAll'; readonly value: Record<string, never> }
  | { readonly case: 'releaseUntil'; readonly value: { readonly responseId: string } };
