import type { ReadRange } from '../frames/frames.ts';
import type { RowRange } from '../frames/locality/row-ranges.ts';
import { FrameholdError } from '../model/errors.ts';
import { type Handle, parseRowsHandle } from '../model/handle.ts';
import { handleTextOf } from '../model/manifest.ts';
import type { VersionRecord } from '../model/version.ts';
import { JsonFields } from './json-fields.ts';

/** A frame, all its rows or some. A ticket gives no right: DoGet checks access as for any other read, on whichever node it comes to. */
export interface FrameTicket {
  readonly handle: Handle;
  readonly range: ReadRange;
}

const openingBrace = 0x7b;
/** The longest handle, each of its characters in four bytes, with a tenant before it, is shorter. */
const handleBytesMax = 1_024;

const ticketRule = 'A ticket is a handle (name, name@version or name@version..), or what GetFlightInfo gave.';

/** A version by its handle and its id, all its rows or some. */
export function encodeFrameTicket(record: VersionRecord, range: RowRange | null): Uint8Array {
  return Buffer.from(JSON.stringify({ name: handleTextOf(record), id: record.versionId, ...range }));
}

export function decodeFrameTicket(ticket: Uint8Array): FrameTicket {
  if (ticket[0] === openingBrace) return givenTicket(ticket);
  if (ticket.length > handleBytesMax) {
    throw new FrameholdError(
      'bad_request',
      `The ticket has ${ticket.length} bytes; a handle has at most ${handleBytesMax}.`,
      { hint: ticketRule },
    );
  }
  return { handle: handleIn(Buffer.from(ticket).toString()), range: {} };
}

function handleIn(text: string): Handle {
  try {
    return parseRowsHandle(text);
  } catch (error) {
    if (!(error instanceof FrameholdError) || error.kind !== 'bad_handle') throw error;
    throw new FrameholdError('bad_handle', `The ticket is not valid: ${error.message}`, { hint: ticketRule });
  }
}

function givenTicket(ticket: Uint8Array): FrameTicket {
  const fields = new JsonFields('The ticket', ticket, ['name', 'id', 'offset', 'limit']);
  const name = fields.text('name');
  if (name === undefined)
    throw new FrameholdError('bad_request', 'The ticket names no frame.', {
      hint: 'Its name is the field "name": {"name": "prices@3", "offset": 0, "limit": 1000}.',
    });
  const versionId = fields.text('id');
  const offset = fields.wholeNumber('offset');
  const limit = fields.wholeNumber('limit');
  return {
    handle: { ...parseRowsHandle(name), ...(versionId === undefined ? {} : { versionId }) },
    range: { ...(offset === undefined ? {} : { offset }), ...(limit === undefined ? {} : { limit }) },
  };
}
