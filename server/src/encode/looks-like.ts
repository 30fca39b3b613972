import type { UploadFormat } from '../ports/codec.ts';

interface Seen {
  /** The formats that begin like this; none can be put as it is. */
  readonly formats: readonly ('arrow' | UploadFormat)[];
  readonly advice: string;
}

const typeOf = (what: string, type: string) => `The body begins as ${what} does: send Content-Type: ${type}.`;

/** By the bytes that a file must begin with. */
const magic: readonly (readonly [bytes: readonly number[], seen: Seen])[] = [
  [
    [0x50, 0x41, 0x52, 0x31],
    { formats: ['parquet'], advice: typeOf('Parquet', 'application/vnd.apache.parquet') },
  ],
  [
    [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31],
    { formats: ['arrow-file'], advice: typeOf('an Arrow file', 'application/vnd.apache.arrow.file') },
  ],
  [
    [0xff, 0xff, 0xff, 0xff],
    { formats: ['arrow'], advice: typeOf('an Arrow stream', 'application/vnd.apache.arrow.stream') },
  ],
];

const json: Seen = {
  formats: ['json', 'ndjson'],
  advice: typeOf('JSON', 'application/json, or application/x-ndjson for an object in each line'),
};
const text: Seen = { formats: ['csv'], advice: typeOf('a text such as CSV', 'text/csv') };

/** What to do about a body that was refused, if it looks like another format than the one that was named; null if it does not. */
export function formatAdvice(first: Uint8Array, named: 'arrow' | UploadFormat): string | null {
  const seen = seenIn(first);
  return seen === null || seen.formats.includes(named) ? null : seen.advice;
}

function seenIn(first: Uint8Array): Seen | null {
  const known = magic.find(([bytes]) => bytes.every((byte, at) => first[at] === byte));
  if (known !== undefined) return known[1];
  if (first.length === 0) return null;
  const beginning = Buffer.from(first).toString('latin1').trimStart();
  if (beginning.startsWith('{') || beginning.startsWith('[')) return json;
  return first.every(isOfText) ? text : null;
}

/** Also every byte above ASCII: a text may be in any charset. */
function isOfText(byte: number): boolean {
  return byte >= 0x20 ? byte !== 0x7f : byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
