import { FrameholdError } from '../frames/errors.ts';
import { type Handle, parseHandle } from '../frames/handle.ts';
import { FlightDescriptor_DescriptorType as DescriptorType, type FlightDescriptor } from './gen/Flight_pb.js';

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
