import { LruCache } from '../../base/lru-cache.ts';
import { type SentText, textKey } from '../../model/sent-text.ts';
import type { Column } from '../../model/version.ts';
import type { StatementShape } from '../../ports/engine.ts';
import type { Observe } from '../../ports/observation.ts';
import type { SqlDescription } from '../../ports/prepared-statements.ts';
import type { IpcMessage } from '../../ports/renderer.ts';

/** A body as a listener sent it. */
interface KeptBody {
  readonly kind: 'body';
  readonly body: Buffer;
  /** That were counted when it was made. */
  readonly rows: number;
}

/** Rows as the engine gave them. */
export interface KeptRows {
  readonly kind: 'rows';
  readonly schemaMessage: Uint8Array;
  readonly markedSchemaMessage: Uint8Array;
  readonly columns: readonly Column[];
  readonly messages: readonly KeptMessage[];
}

interface KeptMessage {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

export type KeptAnswer = KeptBody | KeptRows;

/** Where the answer of one run will be kept. */
export interface AnswerPlace {
  /** Of a body, or of all messages. */
  readonly bytesMax: number;
  keepBody(body: Buffer, rows: number): void;
  /** The same messages. They are kept when the last one has been taken. */
  keepRows(
    rows: Omit<KeptRows, 'kind' | 'messages'>,
    messages: AsyncIterable<IpcMessage>,
  ): AsyncIterable<IpcMessage>;
}

/** Of all answers: one takes no more, so that a few large ones do not displace many small ones. */
const answerShare = 1 / 16;
/** Thousands of statements as people and tools write them. Longer texts come from programs that rarely send the same one again. */
const shapesBytesMax = 8 * 1024 * 1024;
const textCharactersMax = 64 * 1024;
/** As many schemas of some hundred columns. */
const descriptionsBytesMax = 8 * 1024 * 1024;
const descriptionBytesMax = 256 * 1024;
/** What a message weighs beside its bytes: two views and their memory. */
const messageBytes = 256;

/**
 * What this process remembers of statements that were run: what a text is, the columns that it gives over some versions, and whole answers. Versions never
 * change, so nothing of it is ever out of date; what a caller may see is checked before anything is looked up here.
 */
export class KeptStatements {
  readonly #isOn: boolean;
  readonly #shapes = new LruCache<StatementShape>({
    bytesMax: shapesBytesMax,
    valueBytesMax: textCharactersMax * 2,
  });
  readonly #descriptions = new LruCache<SqlDescription>({
    bytesMax: descriptionsBytesMax,
    valueBytesMax: descriptionBytesMax,
  });
  readonly #answers: LruCache<KeptAnswer>;
  readonly #observe: Observe;
  #clearings = 0;

  /** 0: nothing is kept, and every statement is parsed, bound and run. */
  constructor(answersBytesMax: number, observe: Observe) {
    this.#isOn = answersBytesMax > 0;
    this.#answers = new LruCache({
      bytesMax: answersBytesMax,
      valueBytesMax: Math.floor(answersBytesMax * answerShare),
    });
    this.#observe = observe;
  }

  shape(text: SentText): StatementShape | null {
    return this.#shapes.get(textKey(text)) ?? null;
  }

  /** Only if something of it repeats: else nothing can be done with it. */
  learnShape(text: SentText, shape: StatementShape): void {
    if (!this.#isOn || shape.repeats === undefined || text.sql.length > textCharactersMax) return;
    const names = shape.tables.reduce((sum, name) => sum + name.length * 2, 0);
    this.#shapes.set(textKey(text), shape, names, text.tenant);
  }

  /** By `versionsKey`. */
  description(versions: string): SqlDescription | null {
    return this.#descriptions.get(versions) ?? null;
  }

  learnDescription(versions: string, description: SqlDescription, tenant: string): void {
    if (!this.#isOn) return;
    const { schemaMessage, parameterSchemaMessage } = description;
    const bytes = (schemaMessage?.byteLength ?? 0) + parameterSchemaMessage.byteLength;
    this.#descriptions.set(versions, description, bytes, tenant);
  }

  /** The first that there is, by `answerKey`. */
  answer(keys: readonly (string | null)[]): KeptAnswer | null {
    for (const key of keys) {
      const answer = key === null ? undefined : this.#answers.get(key);
      if (answer === undefined) continue;
      this.#observe({ event: 'sql-answer', hit: true });
      return answer;
    }
    return null;
  }

  /** A statement whose answer may be kept runs, because it is not. */
  missed(): void {
    if (this.#isOn) this.#observe({ event: 'sql-answer', hit: false });
  }

  /** null if it will not be kept. */
  place(key: string | null, tenant: string): AnswerPlace | null {
    if (!this.#isOn || key === null) return null;
    const clearings = this.#clearings;
    const keep = (answer: KeptAnswer, bytes: number) => {
      // Made of bytes that may have been damaged.
      if (clearings !== this.#clearings) return;
      this.#answers.set(key, answer, bytes, tenant);
      this.#observeSize();
    };
    const bytesMax = this.#answers.valueBytesMax;
    return {
      bytesMax,
      keepBody: (body, rows) => keep({ kind: 'body', body: inOwnMemory(body), rows }, body.byteLength),
      keepRows: (rows, messages) =>
        collected(messages, bytesMax, (pieces, bytes) =>
          keep({ ...rows, kind: 'rows', messages: pieces }, bytes + rows.schemaMessage.byteLength * 2),
        ),
    };
  }

  /** Stored bytes were found to have changed: what was made of them must not be given again. */
  clear(): void {
    this.#clearings += 1;
    this.#answers.clear();
    this.#observeSize();
  }

  #observeSize(): void {
    this.#observe({ event: 'sql-answers', count: this.#answers.size, bytes: this.#answers.bytes });
  }
}

/** The messages of a kept answer, as an engine would give them. */
export async function* keptMessages(
  { messages }: KeptRows,
  signal: AbortSignal,
): AsyncGenerator<IpcMessage, void, void> {
  for (const message of messages) {
    signal.throwIfAborted();
    yield inMemory(message);
  }
}

function inMemory({ header, body }: KeptMessage): IpcMessage {
  return {
    header,
    bodyBytes: body.byteLength,
    readBody: async (target) => target.set(body),
    peekBody: () => body,
  };
}

async function* collected(
  messages: AsyncIterable<IpcMessage>,
  bytesMax: number,
  whole: (pieces: readonly KeptMessage[], bytes: number) => void,
): AsyncGenerator<IpcMessage, void, void> {
  let pieces: KeptMessage[] | null = [];
  let bytes = 0;
  for await (const message of messages) {
    bytes += message.header.byteLength + message.bodyBytes + messageBytes;
    if (bytes > bytesMax) pieces = null;
    if (pieces === null) yield message;
    else {
      const body = new Uint8Array(message.bodyBytes);
      await message.readBody(body);
      const piece = { header: new Uint8Array(message.header), body };
      pieces.push(piece);
      yield inMemory(piece);
    }
  }
  if (pieces !== null) whole(pieces, bytes);
}

/** Small buffers are parts of a larger one, all of which would stay. */
function inOwnMemory(body: Buffer): Buffer {
  if (body.byteLength === body.buffer.byteLength) return body;
  const own = Buffer.allocUnsafeSlow(body.byteLength);
  body.copy(own);
  return own;
}
