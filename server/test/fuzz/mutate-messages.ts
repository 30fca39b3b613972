import { endOfStream, headerBytesOf, prefixBytes } from '../../src/arrow/ipc/framing.ts';
import { messageBodyBytes } from '../../src/arrow/ipc/message.ts';
import { type Mutate, mutateBytes } from './mutations.ts';
import type { Random } from './seeded-random.ts';

/** An Arrow stream with bytes changed, most of them in headers, or with messages of this and another stream in another order. */
export const mutateMessages: Mutate = (bytes, other, random) => {
  switch (random(4)) {
    case 0:
      return mutateBytes(bytes, other, random);
    case 1:
      return joined(shuffled(messagesOf(bytes), messagesOf(other), random));
    case 2: {
      const messages = shuffled(messagesOf(bytes), messagesOf(other), random);
      return joined(changeHeader(messages, other, random));
    }
    default:
      return joined(changeHeader(messagesOf(bytes), other, random));
  }
};

interface SampleMessage {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

const known = new WeakMap<Uint8Array, readonly SampleMessage[]>();

function messagesOf(stream: Uint8Array): readonly SampleMessage[] {
  let messages = known.get(stream);
  if (messages === undefined) {
    messages = split(stream);
    known.set(stream, messages);
  }
  return messages;
}

function split(stream: Uint8Array): readonly SampleMessage[] {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.length);
  const messages: SampleMessage[] = [];
  for (let position = 0; ; ) {
    const headerEnd = position + prefixBytes + headerBytesOf(view, position);
    if (headerEnd === position + prefixBytes) return messages;
    const header = stream.subarray(position + prefixBytes, headerEnd);
    position = headerEnd + messageBodyBytes(header);
    messages.push({ header, body: stream.subarray(headerEnd, position) });
  }
}

function joined(messages: readonly SampleMessage[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const { header, body } of messages) {
    const prefix = Buffer.alloc(prefixBytes, 0xff);
    prefix.writeInt32LE(header.length, 4);
    pieces.push(prefix, header, body);
  }
  return Buffer.concat([...pieces, endOfStream]);
}

/** Removed, doubled, exchanged, or taken from another stream. */
function shuffled(
  own: readonly SampleMessage[],
  others: readonly SampleMessage[],
  random: Random,
): readonly SampleMessage[] {
  const messages = [...own];
  for (let change = 1 + random(2); change > 0; change--) {
    const place = random(messages.length + 1);
    const taken = messages[random(messages.length)];
    const foreign = others[random(others.length)];
    switch (random(4)) {
      case 0:
        messages.splice(place, 1);
        break;
      case 1:
        if (taken !== undefined) messages.splice(place, 0, taken);
        break;
      case 2:
        if (foreign !== undefined) messages.splice(place, random(2), foreign);
        break;
      default: {
        // The header of one message over the body of another.
        const header = taken?.header ?? foreign?.header;
        const body = messages[random(messages.length)]?.body;
        if (header !== undefined && body !== undefined) messages.splice(place, 1, { header, body });
      }
    }
  }
  return messages;
}

/** Flatbuffers have no checksums: offsets, lengths, counts and types of one header get other values. */
function changeHeader(
  own: readonly SampleMessage[],
  other: Uint8Array,
  random: Random,
): readonly SampleMessage[] {
  const messages = [...own];
  const place = random(messages.length);
  const message = messages[place];
  if (message === undefined) return messages;
  const changed = mutateBytes(message.header, other, random);
  const header = new Uint8Array(Math.ceil(changed.length / 8) * 8);
  header.set(changed);
  messages[place] = { header, body: message.body };
  return messages;
}
