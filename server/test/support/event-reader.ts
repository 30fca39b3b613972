import { get, type IncomingMessage } from 'node:http';
import { eventually } from './patience.ts';

export interface ReceivedEvent {
  /** The number of the event; null if it has none. */
  readonly id: number | null;
  /** The whole id, by which a later stream continues. */
  readonly place: string | null;
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventReaderOptions {
  readonly token?: string;
  /** Sent as Last-Event-ID. */
  readonly after?: number | string;
}

/** A client of GET /v1/events with one connection of its own. */
export class EventReader implements Disposable {
  readonly events: ReceivedEvent[] = [];
  readonly answer: IncomingMessage;
  /** How often a comment came. */
  comments = 0;
  hasEnded = false;
  #rest = '';

  static open(url: string, { token, after }: EventReaderOptions = {}): Promise<EventReader> {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(after === undefined ? {} : { 'last-event-id': String(after) }),
    };
    return new Promise((resolve, reject) => {
      const request = get(`${url}/v1/events`, { agent: false, headers }, (answer) =>
        resolve(new EventReader(answer)),
      );
      request.once('error', reject);
    });
  }

  private constructor(answer: IncomingMessage) {
    this.answer = answer;
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => this.#take(text));
    // A server that was killed resets the connection: that is an end, too.
    answer.on('error', () => {});
    answer.once('close', () => {
      this.hasEnded = true;
    });
  }

  get status(): number {
    return this.answer.statusCode ?? 0;
  }

  /** The last id; undefined before the first. */
  get lastId(): number | undefined {
    return this.events.findLast(({ id }) => id !== null)?.id ?? undefined;
  }

  /** The whole of it. */
  get lastPlace(): string | undefined {
    return this.events.findLast(({ place }) => place !== null)?.place ?? undefined;
  }

  /** Short texts: `3 frame.created f@1`. */
  get shortly(): string[] {
    return this.events.map(({ id, kind, data }) =>
      [id, kind, ...(data.name === undefined ? [] : [`${data.name}@${data.version}`])].join(' '),
    );
  }

  async until(what: string, holds: (events: readonly ReceivedEvent[]) => boolean): Promise<void> {
    await eventually(what, () => {
      if (this.hasEnded && !holds(this.events)) throw new Error(`the stream ended before: ${what}`);
      return holds(this.events);
    });
  }

  async untilEnd(): Promise<void> {
    await eventually('the end of the stream', () => this.hasEnded);
  }

  [Symbol.dispose](): void {
    this.answer.destroy();
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) this.comments += 1;
      else this.events.push(parsed(block));
    }
  }
}

function parsed(block: string): ReceivedEvent {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  return {
    id: fields.id === undefined ? null : Number.parseInt(fields.id, 10),
    place: fields.id ?? null,
    kind: fields.event ?? '',
    data: JSON.parse(fields.data ?? ''),
  };
}
