import { unreadableAnswer } from '../errors.ts';

/** One event as it was sent. */
export interface SentEvent {
  readonly id: string | undefined;
  readonly kind: string;
  readonly data: string;
}

/** An event of the server has a few kilobytes; more than this is something else. */
const eventCharactersMax = 1024 * 1024;

/** Puts together server-sent events from pieces of text of any size. Each character is looked at once. */
export class EventLines {
  #rest = '';
  #afterReturn = false;
  #id: string | undefined;
  #kind = '';
  #data: string[] = [];
  #characters = 0;

  /** The events that end in this piece. */
  *push(text: string): Generator<SentEvent, void, void> {
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text.charCodeAt(at);
      const isReturn = character === 13;
      // CR LF is one end of a line, also if it comes in two pieces.
      if (character === 10 && this.#afterReturn) start = at + 1;
      else if (isReturn || character === 10) {
        const event = this.#line(this.#rest + text.slice(start, at));
        this.#rest = '';
        start = at + 1;
        if (event !== null) yield event;
      }
      this.#afterReturn = isReturn;
    }
    this.#rest += text.slice(start);
    this.#check(this.#rest.length);
  }

  #line(line: string): SentEvent | null {
    if (line === '') return this.#end();
    this.#characters += line.length;
    this.#check(0);
    const colon = line.indexOf(':');
    // A comment: the heartbeat.
    if (colon === 0) return null;
    const field = colon === -1 ? line : line.slice(0, colon);
    const afterColon = colon === -1 ? '' : line.slice(colon + 1);
    const value = afterColon.startsWith(' ') ? afterColon.slice(1) : afterColon;
    if (field === 'id') this.#id = value;
    else if (field === 'event') this.#kind = value;
    else if (field === 'data') this.#data.push(value);
    return null;
  }

  #end(): SentEvent | null {
    const event = {
      id: this.#id,
      kind: this.#kind === '' ? 'message' : this.#kind,
      data: this.#data.join('\n'),
    };
    const isEvent = this.#data.length > 0;
    this.#id = undefined;
    this.#kind = '';
    this.#data = [];
    this.#characters = 0;
    return isEvent ? event : null;
  }

  #check(more: number): void {
    if (this.#characters + more > eventCharactersMax)
      throw unreadableAnswer(
        `An event has more than ${eventCharactersMax} characters.`,
        'Check the address; a proxy may have changed the answer.',
      );
  }
}
