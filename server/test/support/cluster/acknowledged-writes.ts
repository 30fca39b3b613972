import { getText, type TextAnswer } from '../frame-client.ts';
import { timePasses } from '../passing-time.ts';
import { eventually } from '../patience.ts';

/** What a caller may be told while a part of a cluster fails: that it did not work, or that nobody knows. */
const faultStatuses: ReadonlySet<number> = new Set([502, 503, 504]);
const faultCodes: ReadonlySet<string> = new Set(['outcome_unknown', 'frame_damaged']);

interface Write {
  readonly value: number;
  /** When it was acknowledged; null as long as its fate is not known. */
  acknowledgedAt: number | null;
}

/**
 * Callers of all nodes who write to frames of their own and note what they were answered. A log is appended to; a register is replaced, every second
 * time on condition that nobody else has.
 */
export class AcknowledgedWrites {
  /** Answers that no caller should get. */
  readonly wrong: string[] = [];
  readonly statuses = new Map<string, number>();
  readonly #frames: readonly (Log | Register)[];
  readonly #urls: readonly string[];
  #writers: Promise<void>[] = [];
  #isWriting = false;
  #acknowledged = 0;

  constructor(urls: readonly string[], count: number) {
    const ask = this.#ask.bind(this);
    this.#frames = Array.from({ length: count }, (_, index) => {
      const Frame = index % 3 === 2 ? Register : Log;
      return new Frame(`${Frame === Log ? 'log' : 'register'}_${index}`, ask);
    });
    this.#urls = urls;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  get names(): readonly string[] {
    return this.#frames.map(({ name }) => name);
  }

  begin(): void {
    this.#isWriting = true;
    this.#writers = this.#frames.map((frame) => this.#write(frame));
  }

  /** Resolves when every caller has its answer. */
  async pause(): Promise<void> {
    this.#isWriting = false;
    await Promise.all(this.#writers);
  }

  /** Resolves when so many more were acknowledged. */
  async more(count: number): Promise<void> {
    const before = this.#acknowledged;
    await eventually(`${count} more writes`, () => this.#acknowledged >= before + count);
  }

  /** The catalog has lost what was committed after this moment: of those writes nobody knows whether they are there. Returns how many. */
  loseSince(moment: number): number {
    return this.#frames.reduce((sum, frame) => sum + frame.loseSince(moment), 0);
  }

  /** Reads frames on this node while something is wrong, one after the other until this moment: rows, or a fault that is named as one. */
  async glance(url: string, until: number): Promise<void> {
    for (const { name } of this.#frames) {
      if (performance.now() > until) return;
      const path = `/v1/frames/${name}/rows?fmt=csv`;
      await this.#ask(url + path, { method: 'GET' }, 404);
    }
  }

  /** Reads every frame on this node, by HTTP and by SQL; what is missing, out of order, double, or was never written is noted. */
  async compare(url: string): Promise<void> {
    for (const frame of this.#frames) {
      if (frame.writes.every(({ acknowledgedAt }) => acknowledgedAt === null)) continue;
      const rows = await this.#read(`${url}/v1/frames/${frame.name}/rows?fmt=csv`);
      const sql = await this.#read(`${url}/v1/sql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ sql: `select n from ${frame.name} order by n` }),
      });
      if (rows.status !== 200 || sql.status !== 200) {
        this.wrong.push(`${frame.name}: ${rows.status} ${rows.text} / ${sql.status} ${sql.text}`);
        continue;
      }
      const read = rows.text.trimEnd().split('\r\n').slice(1).map(Number);
      const selected = (JSON.parse(sql.text) as { dataset: [number][] }).dataset.map(([n]) => n);
      const fault = frame.faultOf(read);
      if (fault !== null) this.wrong.push(`${frame.name}: ${fault}`);
      if (selected.join() !== read.toSorted((a, b) => a - b).join())
        this.wrong.push(`${frame.name}: SQL reads ${selected.join()}, HTTP ${read.join()}`);
    }
  }

  /** Bytes that came three times with the same fault are taken for damaged; a caller is told to read again in a minute. */
  async #read(url: string, init?: RequestInit): Promise<TextAnswer> {
    let answer = await getText(url, init);
    const until = performance.now() + 60_000;
    while (answer.text.includes('"code":"frame_damaged"') && performance.now() < until) {
      this.#count('frame_damaged, and read again');
      await timePasses(500, 'a caller reads again');
      answer = await getText(url, init);
    }
    return answer;
  }

  async #write(frame: Log | Register): Promise<void> {
    while (this.#isWriting) {
      const url = this.#urls[Math.floor(Math.random() * this.#urls.length)] as string;
      const value = frame.writes.length + 1;
      const write: Write = { value, acknowledgedAt: null };
      frame.writes.push(write);
      if (await frame.write(url, value)) {
        write.acknowledgedAt = performance.now();
        this.#acknowledged += 1;
      }
      await timePasses(30, 'the pace of the callers');
    }
  }

  async #ask(url: string, init: RequestInit, ...allowed: readonly number[]): Promise<Answer> {
    const answer = await getText(url, init);
    const code = /"code":"(\w+)"/.exec(answer.text)?.[1] ?? '';
    const key = `${answer.status} ${code}`.trim();
    this.#count(key);
    const isDone = answer.status === 200 || answer.status === 201;
    const isFault = faultStatuses.has(answer.status) || faultCodes.has(code);
    if (!isDone && !isFault && !allowed.includes(answer.status)) this.wrong.push(`${key}: ${answer.text}`);
    return { isDone, status: answer.status, etag: answer.headers.get('etag') };
  }

  #count(answer: string): void {
    this.statuses.set(answer, (this.statuses.get(answer) ?? 0) + 1);
  }
}

interface Answer {
  readonly isDone: boolean;
  readonly status: number;
  readonly etag: string | null;
}

type Ask = (url: string, init: RequestInit, ...allowed: readonly number[]) => Promise<Answer>;

abstract class OwnFrame {
  readonly name: string;
  readonly writes: Write[] = [];
  protected readonly ask: Ask;

  constructor(name: string, ask: Ask) {
    this.name = name;
    this.ask = ask;
  }

  loseSince(moment: number): number {
    const lost = this.writes.filter(
      ({ acknowledgedAt }) => acknowledgedAt !== null && acknowledgedAt > moment,
    );
    for (const write of lost) write.acknowledgedAt = null;
    return lost.length;
  }

  protected request(value: number, method: string, headers: Record<string, string> = {}): RequestInit {
    return { method, headers: { 'content-type': 'text/csv', ...headers }, body: `n\n${value}\n` };
  }
}

/** Every row is one write, with a key: one without an answer is sent again, once, and takes effect once. */
class Log extends OwnFrame {
  async write(url: string, value: number): Promise<boolean> {
    const send = async () => {
      const key = { 'idempotency-key': `${this.name}-${value}` };
      const appended = await this.ask(
        `${url}/v1/frames/${this.name}/rows`,
        this.request(value, 'POST', key),
        404,
      );
      if (appended.status !== 404) return appended.isDone;
      const created = this.request(value, 'PUT', {
        'if-none-match': '*',
        'idempotency-key': `${this.name}-first-${value}`,
      });
      return (await this.ask(`${url}/v1/frames/${this.name}`, created, 412)).isDone;
    };
    return (await send()) || (await send());
  }

  /** All that was acknowledged, in order, and nothing twice or from nowhere. */
  faultOf(rows: readonly number[]): string | null {
    const known = new Map(this.writes.map((write) => [write.value, write]));
    const foreign = rows.filter((row) => !known.has(row));
    if (foreign.length > 0) return `rows that nobody wrote: ${foreign.join()}`;
    if (new Set(rows).size < rows.length) return `rows twice: ${rows.join()}`;
    const certain = rows.filter((row) => known.get(row)?.acknowledgedAt !== null);
    const wanted = this.writes.filter(({ acknowledgedAt }) => acknowledgedAt !== null);
    const isWhole = certain.join() === wanted.map(({ value }) => value).join();
    return isWhole
      ? null
      : `${rows.join()} where ${wanted.map(({ value }) => value).join()} was acknowledged`;
  }
}

/** The last write is the frame. */
class Register extends OwnFrame {
  #etag: string | null = null;

  async write(url: string, value: number): Promise<boolean> {
    const condition = value % 2 === 0 && this.#etag !== null ? { 'if-match': this.#etag } : {};
    const put = this.request(value, 'PUT', condition as Record<string, string>);
    const answer = await this.ask(`${url}/v1/frames/${this.name}`, put, 412);
    this.#etag = answer.etag;
    return answer.isDone;
  }

  /** The last that was acknowledged, or one whose fate is not known: that may have been made at any time since. */
  faultOf([row, ...more]: readonly number[]): string | null {
    if (row === undefined || more.length > 0) return `has ${more.length + 1} rows`;
    const last = this.writes.findLast(({ acknowledgedAt }) => acknowledgedAt !== null)?.value ?? 0;
    const found = this.writes.find(({ value }) => value === row);
    const isRight = row === last || found?.acknowledgedAt === null;
    return isRight ? null : `is ${row}, and ${last} was acknowledged`;
  }
}
