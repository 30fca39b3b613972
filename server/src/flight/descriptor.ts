import { FrameholdError } from '../model/errors.ts';
import { type Handle, parseRowsHandle } from '../model/handle.ts';
import { FlightDescriptor_DescriptorType as DescriptorType, type FlightDescriptor } from './gen/Flight_pb.js';
import { JsonFields } from './json-fields.ts';

/** Each endpoint is a call, a place among the reads and perhaps a connection; more at once than this help no client. */
const endpointsMax = 64;

const openingBrace = 0x7b;

/** A frame, and in how many pieces it is wanted. */
export interface WantedFrame {
  readonly handle: Handle;
  /** At most so many, at least 1. */
  readonly endpoints: number;
}

/** Whether a descriptor carries a command of Flight SQL: bytes that are not our own JSON. */
export function isSqlCommand(descriptor: FlightDescriptor | null): descriptor is FlightDescriptor {
  return (
    descriptor?.type === DescriptorType.CMD && descriptor.cmd.length > 0 && descriptor.cmd[0] !== openingBrace
  );
}

/** The frame that a descriptor names: PATH `[name]`, `[name@version]` or `[name@version..]`, or CMD `{"name": …, "endpoints": …}`. */
export function frameOfDescriptor(descriptor: FlightDescriptor): WantedFrame {
  if (descriptor.type === DescriptorType.CMD && descriptor.cmd[0] === openingBrace)
    return frameOfCommand(descriptor.cmd);
  const [name, ...rest] = descriptor.path;
  if (descriptor.type !== DescriptorType.PATH || name === undefined || rest.length > 0) {
    throw new FrameholdError('bad_request', 'The descriptor names no frame.', {
      hint: 'Give a PATH descriptor of one element: the name, name@version, or name@version.. for the rows since a version.',
    });
  }
  return { handle: parseRowsHandle(name), endpoints: 1 };
}

function frameOfCommand(command: Uint8Array): WantedFrame {
  const fields = new JsonFields('The command', command, ['name', 'endpoints']);
  const name = fields.text('name');
  if (name === undefined)
    throw new FrameholdError('bad_request', 'The command names no frame.', {
      hint: 'Its name is the field "name": {"name": "prices", "endpoints": 4}.',
    });
  const endpoints = fields.wholeNumber('endpoints') ?? 1;
  if (endpoints < 1 || endpoints > endpointsMax)
    throw new FrameholdError(
      'bad_request',
      `The command wants ${endpoints} endpoints; 1 to ${endpointsMax} can be given.`,
      { hint: 'Ask for as many as are read at the same time.' },
    );
  return { handle: parseRowsHandle(name), endpoints };
}
