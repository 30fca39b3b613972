import { createHash } from 'node:crypto';
import { encodeRecordBatchHeader } from '../../src/arrow/batches/batch-encoder.ts';
import { encodeSchema } from '../../src/arrow/ipc/schema-encoder.ts';
import type { SchemaRecord } from '../../src/model/version.ts';
import type {
  BindRequest,
  EarlierRuns,
  Engine,
  EngineStatement,
  EngineVocabulary,
  StatementParameters,
  StatementShape,
} from '../../src/ports/engine.ts';
import type { IpcMessage } from '../../src/ports/renderer.ts';

/** What the next statement is, and what it does when it is run. */
export interface Script {
  readonly shape?: Partial<StatementShape>;
  /** Waited for before the statement has its place. */
  readonly place?: Promise<void>;
  readonly bind?: (request: BindRequest) => void | Promise<void>;
  /** Waited for before its first row. */
  readonly run?: () => void | Promise<void>;
  /** So many batches without columns' values, then this. */
  readonly batches?: number;
  readonly failure?: Error;
  /** Writes the result to this address instead. */
  readonly write?: (address: string) => Promise<void>;
}

const message = encodeSchema({
  fields: [
    {
      name: 'n',
      nullable: true,
      type: { kind: 'int', bits: 64, signed: true },
      dictionary: null,
      children: [],
      metadata: [],
    },
  ],
  metadata: [],
});

/** The one column that a scripted engine gives. */
export const columnN: SchemaRecord = {
  hash: createHash('sha256').update(message).digest('hex'),
  message,
  columns: [{ name: 'n', type: 'LONG' }],
};

/** An engine for orders of events that a real one cannot show. It gives batches of two rows of one column of 64-bit integers. */
export class ScriptedEngine implements Engine {
  script: Script = {};
  vocabularyReads = 0;
  readonly closed: number[] = [];
  readonly bound: BindRequest[] = [];
  /** What each statement was told of its earlier runs. */
  readonly workedBefore: number[] = [];
  /** Give up statements that need their place no longer, as the engine does for one that waits. */
  readonly spare: (() => boolean)[] = [];
  /** Statements that were begun and not closed. */
  get open(): number {
    return this.#count - this.closed.length;
  }
  readonly #schema: SchemaRecord;
  #count = 0;

  constructor(schema: SchemaRecord) {
    this.#schema = schema;
  }

  async begin(
    _sql: string,
    _tenant: string,
    signal: AbortSignal,
    { workedMs = 0 }: EarlierRuns = {},
  ): Promise<EngineStatement> {
    const { script } = this;
    this.workedBefore.push(workedMs);
    const left = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    left.catch(() => {});
    signal.throwIfAborted();
    if (script.place !== undefined) await Promise.race([script.place, left]);
    const number = this.#count++;
    const shape: StatementShape = {
      kind: 'query',
      target: null,
      tables: [],
      upstreamQueries: [],
      catalog: [],
      parameterCount: 0,
      ...script.shape,
    };
    return {
      waitedMs: 0,
      workedMs: workedMs + 10,
      progress: 0.25,
      shape,
      bind: async (request) => {
        this.bound.push(request);
        await script.bind?.(request);
        const { message } = this.#schema;
        return { schemaMessage: message, parameterSchemaMessage: message };
      },
      run: (_parameters: StatementParameters | null) => batches(script, signal),
      ...(script.write === undefined ? {} : { write: writer(script.write, left) }),
      spare: (giveUp) => void this.spare.push(giveUp),
      close: async () => {
        if (!this.closed.includes(number)) this.closed.push(number);
      },
    };
  }

  async vocabulary(): Promise<EngineVocabulary> {
    this.vocabularyReads += 1;
    return { functions: [], keywords: ['SELECT'] };
  }

  async close(): Promise<void> {}
}

/** Ends when the caller leaves, as every statement does. */
function writer(
  write: NonNullable<Script['write']>,
  left: Promise<never>,
): NonNullable<EngineStatement['write']> {
  return (_parameters, address) => Promise.race([write(address), left]);
}

async function* batches(
  { run, batches: count = 1, failure }: Script,
  signal: AbortSignal,
): AsyncGenerator<IpcMessage> {
  await run?.();
  for (let index = 0; index < count; index++) {
    signal.throwIfAborted();
    yield twoRows();
  }
  if (failure !== undefined) throw failure;
}

function twoRows(): IpcMessage {
  const body = new Uint8Array(16);
  body[0] = 1;
  body[8] = 2;
  const header = encodeRecordBatchHeader({
    length: 2,
    nodes: [{ length: 2, nullCount: 0 }],
    buffers: [
      { offset: 0, length: 0 },
      { offset: 0, length: 16 },
    ],
    variadicCounts: [],
    bodyBytes: 16,
  });
  return {
    header,
    bodyBytes: body.length,
    readBody: async (target) => target.set(body),
  };
}
