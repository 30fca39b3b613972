import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { frameHeader } from '../arrow/ipc/framing.ts';
import type { RowRange } from '../frames/locality/row-ranges.ts';
import { manifestOf, shownName } from '../model/manifest.ts';
import type { VersionRecord } from '../model/version.ts';
import type { FrameLocations } from './frame-locations.ts';
import { encodeFrameTicket } from './frame-ticket.ts';
import { FlightDescriptor_DescriptorType as DescriptorType, type FlightInfoSchema } from './gen/Flight_pb.js';

/** What a caller needs to read a version: its schema, its size, and tickets that stay with this version, one for each range of its rows. */
export function flightInfoOf(
  record: VersionRecord,
  locations: FrameLocations,
  ranges: readonly RowRange[] = [],
): MessageInitShape<typeof FlightInfoSchema> {
  // All rows in one piece have no range: whole files pass through.
  const pieces = ranges.length > 1 ? ranges : [null];
  const places = locations.of(record.frameId, pieces.length);
  const expiry = record.expiresAt === null ? {} : { expirationTime: timestampFromMs(record.expiresAt) };
  return {
    schema: frameHeader(record.schema.message),
    flightDescriptor: { type: DescriptorType.PATH, path: [shownName(record)] },
    endpoint: pieces.map((range, index) => ({
      ticket: { ticket: encodeFrameTicket(record, range) },
      location: [...(places[index] ?? [])],
      ...expiry,
    })),
    totalRecords: BigInt(record.rows),
    // Of some rows of a version the bytes are not known.
    totalBytes: record.slice === undefined ? BigInt(record.bytes) : -1n,
    ordered: true,
    appMetadata: Buffer.from(JSON.stringify(manifestOf(record))),
  };
}
