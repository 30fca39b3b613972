import { FrameholdError } from '../frames/errors.ts';
import type { ReadRange } from '../frames/frames.ts';
import { type Handle, parseHandle } from '../frames/handle.ts';
import type { RowRange } from '../frames/locality/row-ranges.ts';
import { JsonFields } from './json-fields.ts';

/** A frame, all its rows or some. A ticket gives no right: DoGet checks access as for any other read, on whichever node it comes to. */
export interface FrameTicket {
  readonly handle: Handle;
  readonly range: ReadRange;
}

const openingBrace = 0x7b;
/** The longest handle, each of its characters in four bytes, with a tenant before it, is shorter. */
const handleBytesMax = 1_024;

const ticketRule = 'A ticket is a handle (name or name@version), or what GetFlightInfo gave.';

/** A handle, or rows of it as JSON. */
export function encodeFrameTicket(handle: string, range: RowRange | null): Uint8Array {
  return Buffer.from(range === null ? handle : JSON.stringify({ name: handle, ...range }));
}

export function decodeFrameTicket(ticket: Uint8Array): FrameTicket {
  if (ticket[0] === openingBrace) return rangeTicket(ticket);
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
    return parseHandle(text);
  } catch (error) {
    if (!(error instanceof FrameholdError) || error.kind !== 'bad_handle') throw error;
    throw new FrameholdError('bad_handle', `The ticket is not valid: ${error.message}`, { hint: ticketRule });
  }
}

function rangeTicket(ticket: Uint8Array): FrameTicket {
  const fields = new JsonFields('The ticket', ticket, ['name', 'offset', 'limit']);
  const name = fields.text('name');
  if (name === undefined)
    throw new FrameholdError('bad_request', 'The ticket names no frame.', {
      hint: 'Its name is the field "name": {"name": "prices@3", "offset": 0, "limit": 1000}.',
    });
  const offset = fields.wholeNumber('offset');
  const limit = fields.wholeNumber('limit');
  return {
    handle: parseHandle(name),
    range: { ...(offset === undefined ? {} : { offset }), ...(limit === undefined ? {} : { limit }) },
  };
}
