import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { frameHeader } from '../arrow/ipc/framing.ts';
import { handleTextOf, manifestOf, shownName } from '../frames/manifest.ts';
import type { VersionRecord } from '../frames/version.ts';
import { FlightDescriptor_DescriptorType as DescriptorType, type FlightInfoSchema } from './gen/Flight_pb.js';

/** What a caller needs to read a version: its schema, its size, and a ticket that stays with this version. */
export function flightInfoOf(
  record: VersionRecord,
  publicUrl: string | null,
): MessageInitShape<typeof FlightInfoSchema> {
  return {
    schema: frameHeader(record.schema.message),
    flightDescriptor: { type: DescriptorType.PATH, path: [shownName(record)] },
    endpoint: [
      {
        ticket: { ticket: Buffer.from(handleTextOf(record)) },
        location: publicUrl === null ? [] : [{ uri: publicUrl }],
        ...(record.expiresAt === null ? {} : { expirationTime: timestampFromMs(record.expiresAt) }),
      },
    ],
    totalRecords: BigInt(record.rows),
    totalBytes: BigInt(record.bytes),
    ordered: true,
    appMetadata: Buffer.from(JSON.stringify(manifestOf(record))),
  };
}
