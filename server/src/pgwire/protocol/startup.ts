import { Fields, protocolViolation } from './fields.ts';

/** 3.0 is what all clients know; 3.2 has longer keys for cancelling. */
const version30: number = 3 << 16;
export const version32: number = (3 << 16) | 2;

const sslCode = 80877103;
const gssCode = 80877104;
const cancelCode = 80877102;

export type StartupPacket =
  | { readonly kind: 'ssl' }
  | { readonly kind: 'gss' }
  | { readonly kind: 'cancel'; readonly id: number; readonly key: Buffer }
  | {
      readonly kind: 'startup';
      /** What the client asked for. */
      readonly version: number;
      readonly parameters: ReadonlyMap<string, string>;
      /** Names that begin with `_pq_.`: options of the protocol, of which none is known. */
      readonly options: readonly string[];
    };

/** Longer keys than PostgreSQL allows are no keys. */
const keyBytesMax = 256;
/** The usual ones are ten at most. */
const parametersMax = 100;

/** The body of a first packet, without its length. */
export function readStartup(body: Buffer): StartupPacket {
  const fields = new Fields(body);
  const code = fields.int32();
  if (code === sslCode || code === gssCode) {
    fields.end();
    return { kind: code === sslCode ? 'ssl' : 'gss' };
  }
  if (code === cancelCode) {
    const id = fields.int32();
    const key = fields.rest();
    if (key.length === 0 || key.length > keyBytesMax)
      throw protocolViolation('The key of a cancel request is too long, or missing.');
    return { kind: 'cancel', id, key };
  }
  return startupOf(code, fields);
}

function startupOf(version: number, fields: Fields): StartupPacket {
  if (version >> 16 !== 3)
    throw protocolViolation(
      `Version ${version >> 16}.${version & 0xffff} of the protocol is not spoken here: only 3.0 and 3.2.`,
    );
  const parameters = new Map<string, string>();
  const options: string[] = [];
  for (;;) {
    const name = fields.text();
    if (name === '') break;
    const value = fields.text();
    if (parameters.size + options.length >= parametersMax)
      throw protocolViolation(`There are more than ${parametersMax} parameters.`);
    if (name.startsWith('_pq_.')) options.push(name);
    else parameters.set(name, value);
  }
  fields.end();
  return { kind: 'startup', version, parameters, options };
}

/** The version that is spoken, and what the client must be told of it; null: nothing. */
export function negotiate(
  version: number,
  options: readonly string[],
): { readonly version: number; readonly isNews: boolean } {
  const minor = version & 0xffff;
  // 3.1 was never a version; what is newer than 3.2 is answered with 3.2.
  const spoken = minor >= 2 ? version32 : version30;
  return { version: spoken, isNews: spoken !== version || options.length > 0 };
}
