import { describe, execute, flush, frame, int32, parse, query, sync } from '../../../pgwire/raw-client.ts';
import type { SeededRandom } from '../wire-random.ts';
import type { Recorded } from './pgwire-corpus.ts';
import { bindValues, parseTyped } from './pgwire-messages.ts';
import { oids, randomText, randomValue } from './pgwire-texts.ts';

/** What goes out on one connection. */
export interface PgwireCase {
  /** Which exchange it was made of, and how. */
  readonly name: string;
  /** Sent one by one, when anything has come for the one before: a request for encryption is answered first. */
  readonly parts: readonly Buffer[];
  /** The last of them is sent in so many pieces. */
  readonly pieces: number;
  /** How the client leaves. `terminate`: with a message, which the server must reach because all before it are whole. */
  readonly ending: 'terminate' | 'end' | 'reset';
  /** Makes the key of a cancel request, sent as soon as the session has one. */
  readonly cancel: ((key: Buffer) => Buffer) | null;
}

/** Packets in the order in which they go out. */
interface Draft {
  /** Without a letter, up to the startup. */
  first: Buffer[];
  /** The password, and what a case puts before it. */
  logIn: Buffer[];
  messages: Buffer[];
  /** Whether each packet still has the length that it says. */
  isFramed: boolean;
  /** Whether the first packets are answered as they were recorded. */
  isOpened: boolean;
}

type Change = (draft: Draft, random: SeededRandom, corpus: readonly Recorded[]) => void;

/** Bytes that are sent in pieces are sent so slowly that the longest take a tenth of a second. */
const piecesMax = 40;
const repeatsMax = 300;
const fewRepeats = 10;
/** Out of a hundred repetitions: each of many takes the server as long as a hundred other cases. */
const manyShare = 5;
/** Out of a hundred changes: what is changed there ends most connections at once, and nothing behind it is read. */
const beforeLogInShare = 12;
/** Out of a hundred cases: the others send everything without waiting, which is refused if encryption was asked for. */
const waitingShare = 90;
/** Lengths that are read wrongly somewhere: too short, signed, above limits, more than there will ever be. */
const oddLengths = [
  ...[0, 1, 3, 4, 5, 8, 9, 10_000, 10_004, 10_005, 16_384, 65_536, 16_777_220, 16_777_221, 104_857_600],
  ...[0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fffb],
];

const changes: Readonly<Record<string, Change>> = {
  body: (draft, random) =>
    change(draft, random, (packet, head) => withBody(packet, head, random.mutate(packet.subarray(head)))),
  bytes: (draft, random) => {
    draft.isFramed = false;
    change(draft, random, (packet) => random.mutate(packet));
  },
  length: (draft, random) => {
    draft.isFramed = false;
    change(draft, random, (packet, head) => {
      const copy = Buffer.from(packet);
      if (copy.length < head) return copy;
      const length = random.percent(60) ? random.pick(oddLengths) : copy.length + random.below(9) - 4;
      copy.writeInt32BE(length | 0, head - 4);
      return copy;
    });
  },
  count: (draft, random) =>
    change(draft, random, (packet, head) => {
      const copy = Buffer.from(packet);
      if (copy.length < head + 2) return copy;
      copy.writeInt16BE(
        random.pick([0, 1, 2, 0x7fff, -1, -0x8000]),
        head + random.below(copy.length - head - 1),
      );
      return copy;
    }),
  order: ({ messages }, random) => {
    const from = random.below(messages.length);
    const to = random.below(messages.length);
    switch (random.below(4)) {
      case 0:
        messages.splice(to, 0, ...messages.splice(from, 1));
        break;
      case 1:
        messages.splice(from, 1);
        break;
      case 2:
        messages.splice(random.below(messages.length + 1), 0, ...messages.slice(Math.min(from, to), to + 1));
        break;
      default:
        messages.reverse();
    }
  },
  first: (draft, random, corpus) => {
    // The first packets of another exchange: also behind the log-in, where they are no messages.
    const other = random.pick(corpus).first;
    if (random.percent(beforeLogInShare))
      draft.first.splice(random.below(draft.first.length + 1), 0, ...other);
    else {
      draft.isFramed = false;
      draft.messages.splice(random.below(draft.messages.length + 1), 0, ...other);
    }
  },
  state: ({ logIn, messages }, random) => {
    if (random.percent(beforeLogInShare)) logIn.splice(random.below(2), 1, randomMessage(random));
    for (let count = 1 + random.below(4); count > 0; count--)
      messages.splice(random.below(messages.length + 1), 0, randomMessage(random));
  },
  repeat: ({ messages }, random) => {
    const at = random.below(messages.length);
    const message = messages[at];
    if (message === undefined || message.length > 1_000) return;
    messages.splice(
      at,
      0,
      ...new Array<Buffer>(random.below(random.percent(manyShare) ? repeatsMax : fewRepeats)).fill(message),
    );
  },
  text: ({ messages }, random) => {
    const texts = [...messages.keys()].filter((at) => [0x50, 0x51].includes(messages[at]?.[0] ?? 0));
    const at = texts.length === 0 ? messages.length : random.pick(texts);
    messages.splice(at, 1, random.percent(60) ? query(randomText(random)) : parse(randomText(random)), sync);
  },
  values: ({ messages }, random) => {
    const count = random.below(6);
    const types = Array.from({ length: count }, () => random.pick(oids));
    const text = random.percent(30)
      ? `select ${types.map((_, index) => `$${index + 1}`).join(', ') || '1'}`
      : 'show timezone';
    const bind = bindValues({
      statement: 'w',
      formats: Array.from({ length: random.pick([0, 1, count, count, 2]) }, () => random.below(2)),
      values: types.map(() => randomValue(random)),
      resultFormats: Array.from({ length: random.below(4) }, () => random.below(2)),
    });
    messages.push(parseTyped(text, 'w', types), bind, describe('P'), execute('', random.below(3)), sync);
  },
  splice: (draft, random, corpus) => {
    const other = random.pick(corpus).messages.slice(1);
    const from = random.below(other.length + 1);
    draft.messages.splice(random.below(draft.messages.length + 1), 0, ...other.slice(from));
  },
  cut: (draft, random) => {
    draft.isFramed = false;
    const kept = draft.messages.slice(0, 1 + random.below(draft.messages.length));
    const last = kept.pop();
    if (last !== undefined) kept.push(last.subarray(0, random.below(last.length + 1)));
    draft.messages = kept;
  },
};
const changeNames = Object.keys(changes);

export function makePgwireCase(random: SeededRandom, corpus: readonly Recorded[]): PgwireCase {
  const { name, first, messages } = random.pick(corpus);
  const logIn = messages.slice(0, 1);
  const draft: Draft = {
    first: [...first],
    logIn,
    messages: messages.slice(1),
    isFramed: true,
    isOpened: true,
  };
  const made: string[] = [];
  for (let count = 1 + random.below(3); count > 0; count--) {
    const chosen = random.pick(changeNames);
    made.push(chosen);
    changes[chosen]?.(draft, random, corpus);
  }
  const isWhole = draft.isFramed && random.percent(70);
  const packets = [...draft.logIn, ...draft.messages, ...(isWhole ? [frame('X')] : [])];
  const waits = draft.isOpened && random.percent(waitingShare) ? draft.first.slice(0, -1) : [];
  const atOnce = draft.first.slice(waits.length);
  return {
    name: `${name}: ${made.join(', ')}`,
    parts: [...waits, Buffer.concat([...atOnce, ...packets])],
    pieces: random.percent(70) ? 1 : 1 + random.below(piecesMax),
    ending: isWhole ? 'terminate' : random.percent(80) ? 'end' : 'reset',
    cancel: random.percent(3) ? cancelOf(random) : null,
  };
}

function cancelOf(random: SeededRandom): (key: Buffer) => Buffer {
  return random.percent(70) ? (key) => key : (key) => random.mutate(key);
}

/** Changes one packet by what it is: the length of a message is behind its letter. */
function change(draft: Draft, random: SeededRandom, changed: (packet: Buffer, head: number) => Buffer): void {
  const { first, logIn, messages } = draft;
  const list = !random.percent(beforeLogInShare) ? messages : random.percent(50) ? first : logIn;
  if (list === first) draft.isOpened = false;
  const index = random.below(list.length);
  const packet = list[index];
  if (packet !== undefined) list[index] = changed(packet, list === first ? 4 : 5);
}

function withBody(packet: Buffer, head: number, body: Uint8Array): Buffer {
  return Buffer.concat([packet.subarray(0, head - 4), int32(body.length + 4), body]);
}

/** One that is whole, wherever it comes. */
function randomMessage(random: SeededRandom): Buffer {
  const name = random.pick(['', 'p', 's', 'w', 'c', 'D', '\u{e9}', 'x'.repeat(random.size())]);
  const target = Buffer.from(random.pick(['S', 'P', 'S', 'P', 'X']));
  switch (random.below(12)) {
    case 0:
      return sync;
    case 1:
      return flush;
    case 2:
      return frame('D', target, name);
    case 3:
      return frame('C', target, name);
    case 4:
      return execute(name, random.pick([0, 1, 5, -1, 0x7fff_ffff]));
    case 5:
      return bindValues({ portal: name, statement: random.pick(['', 's', 'l', 'v', 'n', 'w']) });
    case 6:
      return parse(randomText(random), name);
    case 7:
      return frame('d', random.bytes(random.size()));
    case 8:
      return frame(random.pick(['c', 'f', 'H', 'S']), ...(random.percent(50) ? [] : [name]));
    case 9:
      return frame('p', name);
    case 10:
      return frame('F', random.bytes(random.size()));
    default:
      return query(randomText(random));
  }
}
