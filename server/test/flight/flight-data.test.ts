import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { decodeFlightData, layoutFlightData, writeFlightDataHead } from '../../src/flight/flight-data.ts';
import { FlightDataSchema, FlightDescriptorSchema } from '../../src/flight/gen/Flight_pb.js';
import { checkMessageBytes, messagePrefixBytes, sealMessage } from '../../src/flight/grpc-message.ts';
import { assertTook } from '../support/machine-pace.ts';

/** The bytes cut at the given places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    pieces.push(bytes.subarray(from, end));
    from = end;
  }
  return pieces;
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });

describe('FlightData', () => {
  it('a message of endless tiny fields is refused at once: it would hold up everybody for seconds', () => {
    const zeros = Buffer.alloc(64 * 1024 * 1024);
    const began = performance.now();
    assert.throws(() => decodeFlightData([zeros]), { kind: 'bad_body' });
    assertTook(performance.now() - began, 100);
  });

  it('decodes what a protobuf library encodes, however it arrives', () => {
    fc.assert(
      fc.property(
        fc.record({ name: fc.string(), header: bytes(300), metadata: bytes(20), body: bytes(20_000) }),
        fc.array(fc.nat(), { maxLength: 8 }),
        ({ name, header, metadata, body }, places) => {
          const message = create(FlightDataSchema, {
            flightDescriptor: { path: [name] },
            dataHeader: header,
            appMetadata: metadata,
            dataBody: body,
          });
          const data = decodeFlightData(cut(toBinary(FlightDataSchema, message), places));
          assert.deepEqual(fromBinary(FlightDescriptorSchema, data.descriptor ?? Buffer.of()).path, [name]);
          assert.deepEqual(Buffer.from(data.header), Buffer.from(header));
          assert.deepEqual(Buffer.concat(data.body), Buffer.from(body));
        },
      ),
    );
  });

  it('keeps a body in the memory in which it arrived', () => {
    const encoded = toBinary(FlightDataSchema, create(FlightDataSchema, { dataBody: new Uint8Array(5_000) }));
    const data = decodeFlightData(cut(encoded, [1_000, 3_000]));
    assert.equal(data.body.length, 3);
    for (const piece of data.body) assert.equal(piece.buffer, encoded.buffer);
  });

  it('writes what a protobuf library reads', () => {
    fc.assert(
      fc.property(bytes(300), bytes(70_000), (header, body) => {
        const layout = layoutFlightData(header.length, body.length);
        const frame = Buffer.alloc(messagePrefixBytes + layout.messageBytes, 0xff);
        writeFlightDataHead(frame, header, layout);
        frame.set(body, layout.bodyOffset);
        sealMessage(frame);
        assert.equal(frame[0], 0);
        assert.equal(frame.readUInt32BE(1), layout.messageBytes);
        const message = fromBinary(FlightDataSchema, frame.subarray(messagePrefixBytes));
        const padding = Buffer.alloc(layout.paddedHeaderBytes - header.length);
        assert.deepEqual(Buffer.from(message.dataHeader), Buffer.concat([header, padding]));
        assert.deepEqual(Buffer.from(message.dataBody), Buffer.from(body));
      }),
    );
  });

  it('begins a body where C++ readers find it aligned, for any size of header', () => {
    for (let header = 0; header < 400; header++)
      for (const body of [1, 200, 20_000, 3_000_000, 2 ** 29]) {
        const { bodyOffset, paddedHeaderBytes } = layoutFlightData(header, body);
        assert.equal((bodyOffset - messagePrefixBytes) % 64, 32);
        assert.ok(paddedHeaderBytes - header < 66);
      }
    assert.equal(layoutFlightData(100, 0).paddedHeaderBytes, 100, 'nothing to align');
  });

  it('skips fields it does not know', () => {
    // Field 9 as varint, 10 as 64 bits, 11 as bytes, 12 as 32 bits; then the header.
    const unknown = [0x48, 0xff, 0x01, 0x51, 1, 2, 3, 4, 5, 6, 7, 8, 0x5a, 2, 9, 9, 0x65, 1, 2, 3, 4];
    assert.deepEqual([...decodeFlightData([Uint8Array.from([...unknown, 0x12, 1, 42])]).header], [42]);
  });

  it('refuses what is cut off or is something else, and never hangs', () => {
    assert.throws(() => decodeFlightData([Uint8Array.of(0x12, 5, 1)]), { kind: 'bad_body' });
    assert.throws(() => decodeFlightData([Uint8Array.of(0x13)]), { kind: 'bad_body' });
    assert.throws(() => decodeFlightData([new Uint8Array(11).fill(0xff)]), { kind: 'bad_body' });
    fc.assert(
      fc.property(bytes(200), (garbage) => {
        try {
          decodeFlightData([garbage]);
        } catch (error) {
          assert.equal((error as { kind?: string }).kind, 'bad_body');
        }
      }),
    );
  });

  it('knows how much one message can hold', () => {
    checkMessageBytes(2 ** 31 - 2 * 1024 * 1024);
    assert.throws(() => checkMessageBytes(2 ** 31), { kind: 'body_too_large' });
  });
});
