import { LruCache } from '../../base/lru-cache.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { StatementParameters, StatementShape } from '../../ports/engine.ts';
import type { Observe } from '../../ports/observation.ts';
import type { SqlDescription } from '../../ports/prepared-statements.ts';
import type { IpcMessage } from '../../ports/renderer.ts';
import type { StatementResources } from '../statement-resources.ts';
import { type CachedRows, collected } from './cached-rows.ts';
import { answerKey, type SentText, textKey, versionsKey } from './statement-key.ts';

/** A body as a listener sent it. */
interface CachedBody {
  readonly kind: 'body';
  readonly body: Buffer;
  /** That were counted when it was made. */
  readonly rows: number;
}

export type CachedAnswer = CachedBody | CachedRows;

type Entry =
  | CachedAnswer
  | { readonly kind: 'shape'; readonly shape: StatementShape }
  | { readonly kind: 'description'; readonly description: SqlDescription }
  | { readonly kind: 'bound'; readonly resources: StatementResources };

/** Where the answer of one run will be cached. */
export interface AnswerSlot {
  /** Of a body, or of all messages. */
  readonly bytesMax: number;
  cacheBody(body: Buffer, rows: number): void;
  /** The same messages. They are cached when the last one has been taken. */
  cacheRows(
    rows: Omit<CachedRows, 'kind' | 'messages'>,
    messages: AsyncIterable<IpcMessage>,
  ): AsyncIterable<IpcMessage>;
}

/** Of the whole cache: a value takes no more, so that a few large ones do not displace many small ones. */
const valueShare = 1 / 16;
/** Thousands of texts as people and tools write them, if answers are not cached. */
const textsBytesMax = 4 * 1024 * 1024;
/** What a name weighs beside its characters. */
const nameBytes = 24;
/** The columns of thousands of columns; wider rows are described again. */
const descriptionBytesMax = 256 * 1024;
/** Found one after another. With more frames, running the statement takes far longer than finding its answer saves. */
const framesMax = 16;
/**
 * Clients of Flight ask for the columns of a query, and for its rows right after. For that moment the statement that was bound for the first call stays, so
 * that the second one need not bind it again. Longer than two calls in one data centre take, and short enough for others that wait for its process.
 */
const boundMsDefault = 100;

/**
 * What this process remembers of statements: what a text is, the columns and the answers that it gives over some versions, and a statement that was bound a
 * moment ago. Versions never change, so nothing of it is ever out of date; what a caller may see is checked before anything is looked up here.
 */
export class StatementCache {
  readonly #answersOn: boolean;
  readonly #entries: LruCache<Entry>;
  readonly #observe: Observe;
  readonly #boundMs: number;
  #answers = 0;
  #clearings = 0;

  /** 0: neither columns nor answers are cached, and every statement is bound and run. */
  constructor(bytesMax: number, observe: Observe, boundMs = boundMsDefault) {
    this.#answersOn = bytesMax > 0;
    const allMax = this.#answersOn ? bytesMax : textsBytesMax;
    this.#entries = new LruCache({
      bytesMax: allMax,
      valueBytesMax: Math.floor(allMax * valueShare),
      onRemove: (entry) => this.#removed(entry),
    });
    this.#observe = observe;
    this.#boundMs = boundMs;
  }

  of(text: SentText): CachedText {
    return new CachedText(this, text);
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  set(key: string, entry: Entry, bytes: number, tenant: string): void {
    if (isAnswer(entry) && bytes <= this.#entries.valueBytesMax) this.#answers += 1;
    this.#entries.set(key, entry, bytes, tenant);
    if (this.#answersOn) this.#observeSize();
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  get boundMs(): number {
    return this.#boundMs;
  }

  get answersOn(): boolean {
    return this.#answersOn;
  }

  /** The first that there is. */
  answer(keys: readonly (string | null)[]): CachedAnswer | null {
    for (const key of keys) {
      const entry = key === null ? undefined : this.#entries.get(key);
      if (entry === undefined || !isAnswer(entry)) continue;
      this.#observe({ event: 'sql-answer', hit: true });
      return entry;
    }
    return null;
  }

  /** A statement whose answer may be cached runs, because it is not. */
  missed(): void {
    if (this.#answersOn) this.#observe({ event: 'sql-answer', hit: false });
  }

  /** null if it will not be cached. */
  slot(key: string | null, tenant: string): AnswerSlot | null {
    if (!this.#answersOn || key === null) return null;
    const clearings = this.#clearings;
    const add = (answer: CachedAnswer, bytes: number) => {
      // Otherwise it was made of bytes that may have been damaged.
      if (clearings === this.#clearings) this.set(key, answer, bytes, tenant);
    };
    const bytesMax = this.#entries.valueBytesMax;
    return {
      bytesMax,
      cacheBody: (body, rows) => add({ kind: 'body', body: inOwnMemory(body), rows }, body.byteLength),
      cacheRows: (rows, messages) =>
        collected(messages, bytesMax, (pieces, bytes) =>
          add({ ...rows, kind: 'rows', messages: pieces }, bytes + rows.schemaMessage.byteLength * 2),
        ),
    };
  }

  /** Stored bytes were found to have changed: what was made of them must not be given again. */
  clear(): void {
    this.#clearings += 1;
    this.#entries.clear();
    this.#observeSize();
  }

  #removed(entry: Entry): void {
    if (isAnswer(entry)) this.#answers -= 1;
    if (entry.kind === 'bound') entry.resources.giveUp();
  }

  #observeSize(): void {
    this.#observe({ event: 'sql-answers', count: this.#answers, bytes: this.#entries.bytes });
  }
}

/** The cache, for one text of one tenant to one engine. */
export class CachedText {
  readonly #cache: StatementCache;
  readonly #text: SentText;
  #keyOnce: string | undefined;

  constructor(cache: StatementCache, text: SentText) {
    this.#cache = cache;
    this.#text = text;
  }

  /** What the text is. */
  get shape(): StatementShape | null {
    const entry = this.#cache.get(`shape ${this.#key}`);
    return entry?.kind === 'shape' ? entry.shape : null;
  }

  /** The same, if its columns or rows can be found. */
  get repeating(): StatementShape | null {
    const { shape } = this;
    const isFound = this.#cache.answersOn && shape?.repeats !== undefined && shape.tables.length <= framesMax;
    return isFound ? shape : null;
  }

  learnShape(shape: StatementShape): void {
    if (this.shape !== null) return;
    const names = [...shape.tables, ...shape.upstreamQueries, ...(shape.target?.columns ?? [])];
    const bytes = names.reduce((sum, name) => sum + 2 * name.length + nameBytes, 0);
    this.#cache.set(`shape ${this.#key}`, { kind: 'shape', shape }, bytes, this.#text.tenant);
  }

  description(records: readonly VersionRecord[]): SqlDescription | null {
    const entry = this.#cache.get(this.#descriptionKey(records));
    return entry?.kind === 'description' ? entry.description : null;
  }

  learnDescription(
    { repeats }: StatementShape,
    records: readonly VersionRecord[],
    description: SqlDescription,
  ): void {
    const { schemaMessage, parameterSchemaMessage } = description;
    const bytes = (schemaMessage?.byteLength ?? 0) + parameterSchemaMessage.byteLength;
    if (!this.#cache.answersOn || repeats === undefined || bytes > descriptionBytesMax) return;
    const key = this.#descriptionKey(records);
    this.#cache.set(key, { kind: 'description', description }, bytes, this.#text.tenant);
  }

  /** Rows that were cached for another listener can be sent in every form. */
  answer(
    records: readonly VersionRecord[],
    values: StatementParameters | null,
    form: string | undefined,
  ): CachedAnswer | null {
    const forms = form === undefined ? [null] : [form, null];
    const versions = this.#versions(records);
    return this.#cache.answer(forms.map((each) => answerKey(versions, values, each)));
  }

  /** Where the answer of a run over these versions will be cached; null if it will not. */
  slot(
    records: readonly VersionRecord[],
    values: StatementParameters | null,
    form: string | undefined,
  ): AnswerSlot | null {
    return this.#cache.slot(answerKey(this.#versions(records), values, form ?? null), this.#text.tenant);
  }

  missed(): void {
    this.#cache.missed();
  }

  /** A statement of this text that is bound waits a moment to be executed. One that waits already is closed. */
  park(resources: StatementResources): void {
    const key = `bound ${this.#key}`;
    resources.rest({ ms: this.#cache.boundMs }, () => {
      resources.giveUp();
      this.#cache.delete(key);
    });
    // Another statement may have waited for its process.
    if (resources.isResting) this.#cache.set(key, { kind: 'bound', resources }, 0, this.#text.tenant);
  }

  /** Takes it over, with all that it holds. */
  take(): StatementResources | null {
    const key = `bound ${this.#key}`;
    const entry = this.#cache.get(key);
    if (entry?.kind !== 'bound') return null;
    entry.resources.resume();
    this.#cache.delete(key);
    return entry.resources;
  }

  /** Whether the text reads the same over both. */
  areSame(records: readonly VersionRecord[], others: readonly VersionRecord[]): boolean {
    return this.#versions(records) === this.#versions(others);
  }

  /** Not before it is needed: a text that is refused may be long. */
  get #key(): string {
    this.#keyOnce ??= textKey(this.#text);
    return this.#keyOnce;
  }

  #versions(records: readonly VersionRecord[]): string {
    return versionsKey(this.#key, records);
  }

  #descriptionKey(records: readonly VersionRecord[]): string {
    return `description ${this.#versions(records)}`;
  }
}

function isAnswer(entry: Entry): entry is CachedAnswer {
  return entry.kind === 'body' || entry.kind === 'rows';
}

/** Small buffers are parts of a larger one, all of which would stay. */
function inOwnMemory(body: Buffer): Buffer {
  if (body.byteLength === body.buffer.byteLength) return body;
  const own = Buffer.allocUnsafeSlow(body.byteLength);
  body.copy(own);
  return own;
}
