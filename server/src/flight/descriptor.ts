import { FrameholdError } from '../frames/errors.ts';
import { type Handle, parseHandle } from '../frames/handle.ts';
import { FlightDescriptor_DescriptorType as DescriptorType, type FlightDescriptor } from './gen/Flight_pb.js';

const openingBrace = 0x7b;

/** Whether a descriptor carries a command of Flight SQL: bytes that are not our own JSON. */
export function isSqlCommand(descriptor: FlightDescriptor | null): descriptor is FlightDescriptor {
  return (
    descriptor?.type === DescriptorType.CMD && descriptor.cmd.length > 0 && descriptor.cmd[0] !== openingBrace
  );
}

/** The frame that a descriptor names: PATH `[name]` or `[name@version]`. */
export function handleOfDescriptor(descriptor: FlightDescriptor): Handle {
  if (descriptor.type === DescriptorType.CMD) {
    throw new FrameholdError('unimplemented', 'Commands are not offered here.', {
      hint: 'Name the frame with a PATH descriptor of one element.',
    });
  }
  const [name, ...rest] = descriptor.path;
  if (descriptor.type !== DescriptorType.PATH || name === undefined || rest.length > 0) {
    throw new FrameholdError('bad_request', 'The descriptor names no frame.', {
      hint: 'Give a PATH descriptor of one element: the name, or name@version.',
    });
  }
  return parseHandle(name);
}
