import { Buffer } from 'node:buffer';
import { FrameholdError } from '../../model/errors.ts';
import type { BodySink } from './receive-body.ts';

/** The headers of a form's file. */
export interface FormFileHead {
  readonly fileName: string;
  readonly contentType: string | undefined;
}

/** Lines before the first part, and headers of a part: browsers send some hundred bytes. */
const headBytesMax = 16 * 1024;
/** RFC 2046. */
const boundaryLengthMax = 70;
const lineEnd = Buffer.from('\r\n');
const headEnd = Buffer.from('\r\n\r\n');

/** The boundary of a body of the type multipart/form-data; null for other types. */
export function formBoundary(contentType: string | undefined): string | null {
  const [type = '', ...parameters] = (contentType ?? '').split(';');
  if (type.trim().toLowerCase() !== 'multipart/form-data') return null;
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=');
    if (parameter.slice(0, equals).trim().toLowerCase() !== 'boundary') continue;
    const boundary = parameter
      .slice(equals + 1)
      .trim()
      .replaceAll('"', '');
    if (boundary.length >= 1 && boundary.length <= boundaryLengthMax) return boundary;
  }
  throw badForm(
    'The form has no boundary in its Content-Type',
    'Let the browser or the program set Content-Type.',
  );
}

type Place = 'before' | 'mark' | 'head' | 'file' | 'behind';

/** Reads a form as it comes and passes on the bytes of the one file in it. Keeps no more in memory than the headers of a part. */
export class FormFile implements BodySink {
  readonly #delimiter: Buffer;
  readonly #begin: (head: FormFileHead) => Promise<BodySink>;
  /** Bytes that may continue in the next chunk. */
  #rest: Buffer = lineEnd;
  #place: Place = 'before';
  #file: BodySink | null = null;

  /** `begin` is called once, before the first byte of the file. */
  constructor(boundary: string, begin: (head: FormFileHead) => Promise<BodySink>) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#begin = begin;
  }

  async write(chunks: readonly Uint8Array[]): Promise<void> {
    this.#rest = Buffer.concat([this.#rest, ...chunks]);
    while (await this.#step());
    if (this.#place !== 'file' && this.#rest.length > headBytesMax)
      throw badForm(`The form has a header of more than ${headBytesMax} bytes`);
  }

  /** The body has ended. */
  end(): void {
    if (this.#place !== 'behind')
      throw badForm('The form ends before its last boundary', 'It may have been cut off.');
    if (this.#file === null)
      throw badForm('The form has no file', 'Send one file, as an <input type="file"> does.');
  }

  /** Whether there may be more to do with the bytes that are here. */
  async #step(): Promise<boolean> {
    switch (this.#place) {
      case 'before': {
        const found = this.#rest.indexOf(this.#delimiter);
        if (found !== -1) this.#go('mark', found + this.#delimiter.length);
        return found !== -1;
      }
      case 'mark':
        return this.#mark();
      case 'head': {
        // A part without any header begins with the empty line.
        const found = this.#rest.indexOf(headEnd);
        if (found === -1) return false;
        const head = partHead(this.#rest.toString('utf8', 0, found));
        this.#go('file', found + headEnd.length);
        this.#file = await this.#begin(head);
        return true;
      }
      case 'file':
        return await this.#take();
      default:
        // RFC 2046: what follows the last boundary means nothing.
        this.#rest = Buffer.alloc(0);
        return false;
    }
  }

  /** After a boundary: a line end before a part, two hyphens at the end. */
  #mark(): boolean {
    if (this.#rest.length < 2) return false;
    const mark = this.#rest.toString('latin1', 0, 2);
    if (mark === '--') this.#go('behind', 2);
    else if (mark !== '\r\n') throw badForm('The form has a boundary that does not end its line');
    else if (this.#file !== null) throw badForm('The form has more than one part', oneFile);
    // The line end stays: it may be the first half of an empty line.
    else this.#go('head', 0);
    return true;
  }

  async #take(): Promise<boolean> {
    const rest = this.#rest;
    const found = rest.indexOf(this.#delimiter);
    const bytes = rest.subarray(0, found === -1 ? Math.max(0, rest.length - this.#delimiter.length) : found);
    if (bytes.length > 0) await this.#file?.write([bytes]);
    this.#rest = rest.subarray(bytes.length);
    if (found !== -1) this.#go('mark', this.#delimiter.length);
    return found !== -1;
  }

  #go(place: Place, bytes: number): void {
    this.#place = place;
    this.#rest = this.#rest.subarray(bytes);
  }
}

const oneFile = 'Send one file and no other field; parameters such as ttl go into the URL.';

function partHead(text: string): FormFileHead {
  const headers = new Map(
    text.split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const fileName = quotedValue(headers.get('content-disposition') ?? '', 'filename');
  if (fileName === undefined) {
    const name = quotedValue(headers.get('content-disposition') ?? '', 'name') ?? '';
    throw badForm(
      `The form has the field ${JSON.stringify(name.slice(0, 80))}, which is not a file`,
      oneFile,
    );
  }
  return { fileName, contentType: headers.get('content-type') };
}

/** Browsers write quotes inside a name as %22. */
function quotedValue(header: string, key: string): string | undefined {
  for (const parameter of header.split(';')) {
    const equals = parameter.indexOf('=');
    if (parameter.slice(0, equals).trim().toLowerCase() === key)
      return parameter
        .slice(equals + 1)
        .trim()
        .replaceAll('"', '');
  }
  return undefined;
}

function badForm(what: string, hint?: string): FrameholdError {
  return new FrameholdError('bad_body', `${what}.`, hint === undefined ? {} : { hint });
}
