import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { GrpcFailure } from './connect-call.ts';
import type { ConnectChannel, Method } from './connect-channel.ts';
import { ConnectError } from './connect-error.ts';
import { connectErrorOf, errorIdOf, errorInfoOf } from './error-details.ts';
import { type ConnectWaits, Execution } from './execution.ts';
import {
  AnalyzePlanRequestSchema,
  type ConfigRequest_OperationSchema,
  ConfigRequestSchema,
  FetchErrorDetailsRequestSchema,
  type FetchErrorDetailsResponse,
  InterruptRequestSchema,
  InterruptRequest_InterruptType as InterruptType,
  type KeyValue,
  type Plan,
  ReleaseSessionRequestSchema,
  SparkConnectService,
  UserContextSchema,
} from './gen/spark/connect/base_pb.js';
import type { DataType } from './gen/spark/connect/types_pb.js';
import { pause } from './pause.ts';
import type { SessionIdentity } from './session-identity.ts';

/** The first call of a cold Connect takes half a minute on a busy machine. */
const configTimeoutMs = 60_000;
/** Planning is work of the driver: minutes for a hard statement. The statement's own limit comes earlier. */
const analyzeTimeoutMs = 10 * 60_000;
const detailsTimeoutMs = 10_000;
/** What ends a statement is repeated for so long; after five minutes without us Spark gives it up by itself. */
const endingTimeoutMs = 5_000;
/** How long a call is repeated while nobody answers: a proxy or a driver that restarts needs a moment. */
const unreachableMs = 3_000;

type OperationType = NonNullable<MessageInitShape<typeof ConfigRequest_OperationSchema>['opType']>;

/**
 * One session of Spark Connect, for one statement. The id that Spark gave the session is sent with every later call. So if Connect restarts, or gives
 * the session up, a call fails with `lost`; otherwise Spark would make a new session of the same name, without our settings.
 */
export class ConnectSession {
  readonly #channel: ConnectChannel;
  readonly #freshChannel: () => ConnectChannel;
  readonly #waits: ConnectWaits;
  readonly #sessionId = randomUUID();
  // A user of its own, because Spark finds sessions by user and id, and artifacts are a user's.
  readonly #userContext = create(UserContextSchema, {
    userId: `framehold-${randomUUID()}`,
    userName: 'framehold',
  });
  readonly #endings = new Set<Promise<void>>();
  #observedId: string | null = null;

  constructor(channel: ConnectChannel, freshChannel: () => ConnectChannel, waits: ConnectWaits) {
    this.#channel = channel;
    this.#freshChannel = freshChannel;
    this.#waits = waits;
  }

  get id(): string {
    return this.#sessionId;
  }

  async setConfig(settings: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
    const pairs = [...settings].map(([key, value]) => ({ key, value }));
    await this.#config({ case: 'set', value: { pairs } }, signal);
  }

  /** null for a key that has neither a value nor a default. */
  async getConfig(keys: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string | null>> {
    const pairs = await this.#config({ case: 'getOption', value: { keys: [...keys] } }, signal);
    return new Map(pairs.map(({ key, value }) => [key, value ?? null]));
  }

  async #config(opType: OperationType, signal: AbortSignal): Promise<readonly KeyValue[]> {
    const request = create(ConfigRequestSchema, { ...this.#identity(), operation: { opType } });
    const response = await this.#ask(SparkConnectService.method.config, request, configTimeoutMs, signal);
    this.#observe(response.serverSideSessionId);
    return response.pairs;
  }

  /** What Spark calls the columns of the plan's rows, and their types. Nothing is executed unless the plan is a command. */
  async analyzeSchema(plan: Plan, signal: AbortSignal): Promise<DataType> {
    const request = create(AnalyzePlanRequestSchema, {
      ...this.#identity(),
      analyze: { case: 'schema', value: { plan } },
    });
    const response = await this.#ask(
      SparkConnectService.method.analyzePlan,
      request,
      analyzeTimeoutMs,
      signal,
    );
    this.#observe(response.serverSideSessionId);
    const schema = response.result.case === 'schema' ? response.result.value.schema : undefined;
    if (schema === undefined) throw new ConnectError('protocol', 'Spark Connect answered without a schema.');
    return schema;
  }

  async sparkVersion(signal: AbortSignal): Promise<string> {
    const request = create(AnalyzePlanRequestSchema, {
      ...this.#identity(),
      analyze: { case: 'sparkVersion', value: {} },
    });
    const response = await this.#ask(
      SparkConnectService.method.analyzePlan,
      request,
      configTimeoutMs,
      signal,
    );
    this.#observe(response.serverSideSessionId);
    if (response.result.case !== 'sparkVersion')
      throw new ConnectError('protocol', 'Spark Connect answered without its version.');
    return response.result.value.version;
  }

  /** Begins when it is iterated. Aborting the signal interrupts it at Spark, too. */
  execute(plan: Plan, options: { readonly operationId?: string; readonly signal: AbortSignal }): Execution {
    return new Execution(plan, options.operationId ?? randomUUID(), options.signal, {
      channel: this.#channel,
      waits: this.#waits,
      identity: () => this.#identity(),
      observe: (id) => this.#observe(id),
      ending: (work) => this.#keepEnding(work),
      interrupt: (operationId) => this.interrupt(operationId),
      describe: (failure) => this.#describe(failure),
    });
  }

  /** Executes a command, such as one that creates a view, to its end. Rows are dropped. */
  async run(plan: Plan, signal: AbortSignal): Promise<void> {
    for await (const _ of this.execute(plan, { signal }));
  }

  /** Whether Spark knew the operation. Over a new connection if the old one is broken. Never throws. */
  async interrupt(operationId: string): Promise<boolean> {
    const request = create(InterruptRequestSchema, {
      ...this.#identity(),
      interruptType: InterruptType.OPERATION_ID,
      interrupt: { case: 'operationId', value: operationId },
    });
    const response = await this.#askAtLast(SparkConnectService.method.interrupt, request);
    return response?.interruptedIds.includes(operationId) ?? false;
  }

  #keepEnding(work: Promise<void>): void {
    const ending = work.finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  /** Stops everything in the session and forgets it, after its executions have been interrupted. False if Spark could not be told. Safe at any time, and again. Never throws. */
  async release(): Promise<boolean> {
    await Promise.allSettled(this.#endings);
    const { clientObservedServerSideSessionId: _, ...identity } = this.#identity();
    const request = create(ReleaseSessionRequestSchema, identity);
    return (await this.#askAtLast(SparkConnectService.method.releaseSession, request)) !== null;
  }

  #identity(): SessionIdentity {
    const identity = {
      sessionId: this.#sessionId,
      userContext: this.#userContext,
      clientType: 'framehold',
    };
    return this.#observedId === null
      ? identity
      : { ...identity, clientObservedServerSideSessionId: this.#observedId };
  }

  #observe(serverSideSessionId: string): void {
    if (serverSideSessionId === '') return;
    this.#observedId ??= serverSideSessionId;
    if (this.#observedId !== serverSideSessionId)
      throw new ConnectError('lost', 'Spark Connect has answered from another session than before.');
  }

  /** Repeated for a moment while nobody answers: each of these calls may be made twice. */
  async #ask<I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: MessageShape<I>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<MessageShape<O>> {
    for (const giveUpAt = Date.now() + unreachableMs; ; ) {
      try {
        return await this.#channel.ask(method, request, { timeoutMs, signal });
      } catch (thrown) {
        if (!(thrown instanceof GrpcFailure)) throw thrown;
        const isOver = Date.now() >= giveUpAt || thrown.code !== status.UNAVAILABLE;
        if (isOver || errorInfoOf(thrown) !== null) throw await this.#describe(thrown);
        await pause(100, signal);
      }
    }
  }

  /** For calls that end something: over a new connection if the old one fails, for a few seconds; null if nobody answered. */
  async #askAtLast<I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: MessageShape<I>,
  ): Promise<MessageShape<O> | null> {
    const giveUpAt = Date.now() + endingTimeoutMs;
    for (let channel = this.#channel; ; ) {
      try {
        // A connection that is stuck does not fail: the first call has less than a second of the time.
        const timeoutMs = channel === this.#channel ? 800 : giveUpAt - Date.now();
        return await channel.ask(method, request, { timeoutMs });
      } catch (thrown) {
        if (!(thrown instanceof GrpcFailure) || errorInfoOf(thrown) !== null || Date.now() >= giveUpAt)
          return null;
        await pause(100);
      } finally {
        if (channel !== this.#channel) channel.close();
      }
      channel = this.#freshChannel();
    }
  }

  /** With what Spark keeps of the error, if it still answers. */
  async #describe(failure: GrpcFailure): Promise<ConnectError> {
    const info = errorInfoOf(failure);
    const errorId = info === null ? null : errorIdOf(info);
    return connectErrorOf(failure, errorId === null ? null : await this.#errorDetails(errorId));
  }

  async #errorDetails(errorId: string): Promise<FetchErrorDetailsResponse | null> {
    const request = create(FetchErrorDetailsRequestSchema, { ...this.#identity(), errorId });
    try {
      return await this.#channel.ask(SparkConnectService.method.fetchErrorDetails, request, {
        timeoutMs: detailsTimeoutMs,
      });
    } catch {
      return null;
    }
  }
}
