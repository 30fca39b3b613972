import type { Format } from './client-messages.ts';

/** A column as RowDescription has it. */
export interface ResultColumn {
  readonly name: string;
  readonly oid: number;
  /** Bytes of a value; -1 if they differ. */
  readonly size: number;
  readonly modifier: number;
}

export type TransactionStatus = 'I' | 'T' | 'E';

export const textOid = 25;

export const parseComplete: Buffer = message('1');
export const bindComplete: Buffer = message('2');
export const closeComplete: Buffer = message('3');
export const noData: Buffer = message('n');
export const emptyQuery: Buffer = message('I');
export const portalSuspended: Buffer = message('s');
export const copyDone: Buffer = message('c');
export const authenticationOk: Buffer = message('R', int32(0));
export const passwordRequest: Buffer = message('R', int32(3));

/** A part that is a string ends with a zero byte. */
function message(letter: string, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const body = parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part));
  const length = body.reduce((sum, part) => sum + part.length, 0);
  const head = Buffer.allocUnsafe(5);
  head.write(letter, 0, 'latin1');
  head.writeInt32BE(length + 4, 1);
  return Buffer.concat([head, ...body], length + 5);
}

export function readyForQuery(status: TransactionStatus): Buffer {
  return message('Z', Buffer.from(status));
}

export function commandComplete(tag: string): Buffer {
  return message('C', tag);
}

export function parameterStatus(name: string, value: string): Buffer {
  return message('S', name, value);
}

export function backendKey(id: number, key: Uint8Array): Buffer {
  return message('K', int32(id), key);
}

/** The newest version, with the options that are not known. */
export function negotiateVersion(version: number, options: readonly string[]): Buffer {
  return message('v', int32(version), int32(options.length), ...options);
}

export function parameterDescription(types: readonly number[]): Buffer {
  return message('t', int16(types.length), ...types.map(int32));
}

export function rowDescription(columns: readonly ResultColumn[], formats: readonly Format[]): Buffer {
  const fields = columns.map(({ name, oid, size, modifier }, index) => {
    const title = Buffer.from(`${withoutZero(name)}\0`);
    const field = Buffer.alloc(title.length + 18);
    title.copy(field);
    // Neither the table nor its column are given: 6 zero bytes.
    field.writeInt32BE(oid | 0, title.length + 6);
    field.writeInt16BE(size, title.length + 10);
    field.writeInt32BE(modifier, title.length + 12);
    field.writeInt16BE(formats[index] ?? 0, title.length + 16);
    return field;
  });
  return message('T', int16(columns.length), ...fields);
}

export function copyOut(format: Format, columns: number): Buffer {
  return message(
    'H',
    Buffer.of(format),
    int16(columns),
    ...Array.from({ length: columns }, () => int16(format)),
  );
}

/** A row, for what the session answers itself. */
export function dataRow(values: readonly (string | Uint8Array | null)[]): Buffer {
  const fields = values.flatMap((value) => {
    if (value === null) return [int32(-1)];
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    return [int32(bytes.length), bytes];
  });
  return message('D', int16(values.length), ...fields);
}

/** Errors and notices have the same fields. */
export function report(letter: 'E' | 'N', fields: readonly (readonly [string, string])[]): Buffer {
  const parts = fields.map(([code, text]) => Buffer.from(`${code}${withoutZero(text)}\0`));
  return message(letter, ...parts, Buffer.of(0));
}

/** A zero byte ends a text of the protocol. */
function withoutZero(text: string): string {
  return text.replaceAll('\0', '\u{fffd}');
}

function int16(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value | 0);
  return bytes;
}
