import type { PutTarget } from '../frames/frames.ts';
import { FrameholdError } from '../model/errors.ts';
import { FlightDescriptor_DescriptorType as DescriptorType, type FlightDescriptor } from './gen/Flight_pb.js';
import { JsonFields } from './json-fields.ts';

const modes = ['create', 'replace', 'append'] as const;
const openingBrace = 0x7b;
const origin = { format: 'arrow', originFormat: 'flight' } as const;

/** Where DoPut puts: PATH `[name]` makes or replaces that name, PATH `[]` mints one, CMD says it in JSON. */
export function putTargetOf(descriptor: FlightDescriptor | null): PutTarget {
  if (descriptor?.type === DescriptorType.PATH) return pathTarget(descriptor.path);
  if (descriptor?.type === DescriptorType.CMD) return commandTarget(descriptor.cmd);
  throw new FrameholdError('bad_request', 'The put has no descriptor.', {
    hint: 'Give a PATH descriptor with the name, or an empty one to have a name made.',
  });
}

function pathTarget(path: readonly string[]): PutTarget {
  const [name = null, ...rest] = path;
  if (rest.length > 0) {
    throw new FrameholdError('bad_request', 'The descriptor has a path of several elements.', {
      hint: 'A frame has one name: give a path of one element.',
    });
  }
  return { name, mode: 'replace', ...origin };
}

function commandTarget(command: Uint8Array): PutTarget {
  if (command[0] !== openingBrace) {
    throw new FrameholdError('bad_request', 'The put has an empty command.', {
      hint: 'Give a PATH descriptor, or a command in JSON: {"name": "prices", "mode": "append"}.',
    });
  }
  const known = ['name', 'mode', 'ttl', 'ifVersion', 'idempotencyKey'];
  const fields = new JsonFields('The put command', command, known);
  const ttlMs = fields.ttlMs('ttl');
  const ifVersion = fields.expectedVersion('ifVersion');
  const idempotencyKey = fields.text('idempotencyKey');
  return {
    name: fields.text('name') ?? null,
    mode: fields.oneOf('mode', modes) ?? 'replace',
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(ifVersion === undefined ? {} : { ifVersion }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...origin,
  };
}
