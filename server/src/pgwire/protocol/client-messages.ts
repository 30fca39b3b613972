import { asFrameholdError, type FrameholdError } from '../../model/errors.ts';
import { Fields, protocolViolation } from './fields.ts';

/** 0: text, 1: binary. */
export type Format = 0 | 1;

export type ClientMessage =
  | { readonly kind: 'query'; readonly text: string }
  | {
      readonly kind: 'parse';
      readonly name: string;
      readonly text: string;
      readonly types: readonly number[];
    }
  | {
      readonly kind: 'bind';
      readonly portal: string;
      readonly statement: string;
      readonly formats: readonly Format[];
      readonly values: readonly (Uint8Array | null)[];
      readonly resultFormats: readonly Format[];
    }
  | { readonly kind: 'describe'; readonly of: 'statement' | 'portal'; readonly name: string }
  | { readonly kind: 'close'; readonly of: 'statement' | 'portal'; readonly name: string }
  | { readonly kind: 'execute'; readonly portal: string; readonly rowsMax: number }
  | { readonly kind: 'sync' }
  | { readonly kind: 'flush' }
  | { readonly kind: 'terminate' }
  /** Its fields cannot be read; what follows it can. */
  | { readonly kind: 'malformed'; readonly isQuery: boolean; readonly error: FrameholdError }
  /** Data, or the end of data, of a COPY that the server has not asked for: ignored. */
  | { readonly kind: 'copy-data' };

const letters = {
  Q: 0x51,
  P: 0x50,
  B: 0x42,
  D: 0x44,
  C: 0x43,
  E: 0x45,
  S: 0x53,
  H: 0x48,
  X: 0x58,
  d: 0x64,
  c: 0x63,
  f: 0x66,
} as const;

export const passwordMessage = 0x70;

const known: ReadonlySet<number> = new Set(Object.values(letters));

/** Whether a message may begin with this byte: after any other one nothing that follows can be read. */
export function isMessageType(type: number): boolean {
  return known.has(type);
}

export function readClientMessage(type: number, body: Buffer): ClientMessage {
  const fields = new Fields(body);
  try {
    const message = messageOf(type, fields);
    if (message.kind !== 'copy-data') fields.end();
    return message;
  } catch (thrown) {
    return { kind: 'malformed', isQuery: type === letters.Q, error: asFrameholdError(thrown) };
  }
}

function messageOf(type: number, fields: Fields): ClientMessage {
  switch (type) {
    case letters.Q:
      return { kind: 'query', text: fields.text() };
    case letters.P:
      return { kind: 'parse', name: fields.text(), text: fields.text(), types: list(fields, 4) };
    case letters.B:
      return bindOf(fields);
    case letters.D:
      return { kind: 'describe', of: targetOf(fields), name: fields.text() };
    case letters.C:
      return { kind: 'close', of: targetOf(fields), name: fields.text() };
    case letters.E:
      // A limit below 0 is none, as in PostgreSQL.
      return { kind: 'execute', portal: fields.text(), rowsMax: Math.max(0, fields.int32()) };
    case letters.S:
      return { kind: 'sync' };
    case letters.H:
      return { kind: 'flush' };
    case letters.X:
      return { kind: 'terminate' };
    default:
      return { kind: 'copy-data' };
  }
}

function bindOf(fields: Fields): ClientMessage {
  const portal = fields.text();
  const statement = fields.text();
  const formats = formatsOf(fields);
  const count = fields.int16();
  const values: (Uint8Array | null)[] = [];
  for (let index = 0; index < count; index++) {
    const length = fields.int32();
    values.push(length === -1 ? null : fields.bytes(length));
  }
  return { kind: 'bind', portal, statement, formats, values, resultFormats: formatsOf(fields) };
}

function formatsOf(fields: Fields): readonly Format[] {
  return list(fields, 2).map((code) => {
    if (code !== 0 && code !== 1) throw protocolViolation(`There is no format ${code}, only 0 and 1.`);
    return code;
  });
}

function list(fields: Fields, bytes: 2 | 4): number[] {
  const count = fields.int16();
  const items: number[] = [];
  // An OID is unsigned.
  for (let index = 0; index < count; index++) items.push(bytes === 2 ? fields.int16() : fields.int32() >>> 0);
  return items;
}

function targetOf(fields: Fields): 'statement' | 'portal' {
  const letter = fields.byte();
  if (letter === 0x53) return 'statement';
  if (letter === 0x50) return 'portal';
  throw protocolViolation('Neither a statement nor a portal is named.');
}

/** One format for each of so many values: none given means text, one stands for all. */
export function formatsFor(given: readonly Format[], count: number, what: string): readonly Format[] {
  if (given.length === count) return given;
  if (given.length > 1) throw protocolViolation(`There are ${given.length} formats for ${count} ${what}.`);
  return new Array<Format>(count).fill(given[0] ?? 0);
}
