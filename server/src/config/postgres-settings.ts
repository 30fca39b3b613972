import { bindAddress } from './address.ts';
import { boolean, byteSize, durationMs, integer } from './kind.ts';
import type { Setting } from './setting.ts';

/** What a message of PostgreSQL's protocol can have. */
const messageBytesMax = 1024 ** 3;

/** The settings of the listener for PostgreSQL's protocol: their part of `settingTable`. */
export const postgresSettings = {
  'postgres.bind_address': {
    kind: bindAddress(),
    doc: 'Address of a listener for clients of PostgreSQL, such as `127.0.0.1:5432`; they read frames with SQL ([postgres](postgres.md)). Port 0 takes any free port.',
    why: 'Off, because whoever does not need it should not have one more port to protect.',
  },
  'postgres.allow_plaintext': {
    kind: boolean(),
    default: 'false',
    doc: 'Accept passwords without TLS over the loopback address. Elsewhere a connection without TLS is refused before a password is asked for.',
    why: 'Off, because the password is a token, and other programs of the machine may read along. For a proxy on the same machine that ends TLS.',
  },
  'postgres.connections_max': {
    kind: integer(1, 1_000_000),
    default: '500',
    doc: 'Open PostgreSQL connections; further ones are closed at once.',
    why: 'Pools of tools keep 5 to 20 each. An idle connection with TLS uses about 60 kB.',
  },
  'postgres.tenant_connections_max': {
    kind: integer(1, 1_000_000),
    default: '100',
    doc: 'Open PostgreSQL connections of one tenant on this node; further ones are refused (53300).',
    why: 'As many as PostgreSQL itself allows by default, and a fifth of `postgres.connections_max`.',
  },
  'postgres.unauthenticated_max': {
    kind: integer(1, 1_000_000),
    default: '125',
    doc: 'Open PostgreSQL connections that have not logged in, on a server with credentials. Above the limit the oldest of them is closed, at the earliest a second after it was opened. When `postgres.connections_max` is reached, the oldest of them makes room for a new connection.',
    why: 'A quarter of `postgres.connections_max`: callers without a credential cannot keep others out.',
  },
  'postgres.connections_per_address_max': {
    kind: integer(0, 1_000_000),
    default: '0',
    doc: 'Open PostgreSQL connections from one address; further ones are closed at once. 0: no limit.',
    why: 'Off, because a load balancer or a NAT gateway has one address for all of its clients.',
  },
  'postgres.login_timeout_ms': {
    kind: durationMs(1),
    default: '10000',
    doc: 'How long a client may take from its first packet to its log-in, TLS included.',
    why: 'A few round trips, with time for a client on a bad line.',
  },
  'postgres.idle_ms': {
    kind: durationMs(1),
    default: '3600000',
    doc: 'How long a PostgreSQL connection may be idle outside of a transaction before it is closed (57P05).',
    why: 'Longer than pools keep connections that nobody uses (10 to 30 minutes).',
  },
  'postgres.idle_transaction_ms': {
    kind: durationMs(1),
    default: '300000',
    doc: 'How long a PostgreSQL connection may be idle in a transaction before it is closed (25P03).',
    why: 'A person may look at an answer for some minutes; a program that forgot its transaction should learn it.',
  },
  'postgres.portal_idle_ms': {
    kind: durationMs(1),
    default: '60000',
    doc: 'How long a cursor, or a portal of which a part was read, may wait for its client. Then its rows are given up.',
    why: 'A result of more than 256 KiB holds one of the few slots of the engine while it waits.',
  },
  'postgres.answer_timeout_ms': {
    kind: durationMs(1),
    default: '300000',
    doc: 'How long a client may read nothing of an answer before it is cut off.',
    why: 'As `http.answer_timeout_ms`.',
  },
  'postgres.message_bytes_max': {
    kind: byteSize(16 * 1024, messageBytesMax),
    default: '16MiB',
    doc: 'The largest message that a client may send: a statement, or the values of its parameters.',
    why: 'A message is held in memory as a whole. Longer lists of values are put as a frame and joined.',
  },
  'postgres.message_memory_max': {
    kind: byteSize(16 * 1024, 1024 * messageBytesMax),
    default: '256MiB',
    doc: 'Bytes of messages of more than 16 KiB that are held at once, over all PostgreSQL connections. A connection that needs more is ended (53200).',
    why: 'Sixteen of the largest messages.',
  },
} as const satisfies Record<string, Setting>;
