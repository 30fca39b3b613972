import { FrameholdError } from '../../model/errors.ts';

/** Of a text that is no valid UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads the fields of a message. Each method throws a protocol violation if the message ends before. */
export class Fields {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  byte(): number {
    this.#need(1);
    return this.#body.readUInt8(this.#at++);
  }

  int16(): number {
    this.#need(2);
    this.#at += 2;
    return this.#body.readUInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#need(4);
    this.#at += 4;
    return this.#body.readInt32BE(this.#at - 4);
  }

  bytes(length: number): Buffer {
    this.#need(length);
    this.#at += length;
    return this.#body.subarray(this.#at - length, this.#at);
  }

  text(): string {
    const end = this.#body.indexOf(0, this.#at);
    if (end === -1) throw protocolViolation('A text in the message does not end with a zero byte.');
    const bytes = this.#body.subarray(this.#at, end);
    this.#at = end + 1;
    return decodeText(bytes);
  }

  /** The rest of the message. */
  rest(): Buffer {
    return this.bytes(this.#body.length - this.#at);
  }

  get left(): number {
    return this.#body.length - this.#at;
  }

  /** The message must end here. */
  end(): void {
    if (this.left > 0) throw protocolViolation(`The message has ${this.left} bytes too many.`);
  }

  #need(bytes: number): void {
    if (bytes < 0 || bytes > this.#body.length - this.#at)
      throw protocolViolation('The message ends before its last field.');
  }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new FrameholdError('bad_request', 'The text is not valid UTF-8.', {
      sqlState: '22021',
      hint: 'Send texts in UTF-8, the only encoding of this server.',
    });
  }
}

export function protocolViolation(detail: string): FrameholdError {
  return new FrameholdError('bad_request', detail, {
    sqlState: '08P01',
    hint: 'The client does not follow the protocol of PostgreSQL, version 3; try a newer one.',
  });
}
