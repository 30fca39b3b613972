import { bindAddress, bindHost } from './address.ts';
import { baseUrl, boolean, byteSize, durationMs, integer, list } from './kind.ts';
import type { Setting } from './setting.ts';

/** 1 PiB: no limit in use, but a number that is still exact. Larger values are typing errors. */
const bytesMax = 1024 ** 5;
/** Protocol buffers, and so Flight, cannot carry a message of 2 GiB. */
export const messageBytesMax = 2 * 1024 ** 3 - 1;

/** The settings of the two listeners: their part of `settingTable`. */
export const listenerSettings = {
  public_url: {
    kind: baseUrl({ schemes: ['http', 'https'], credentials: false }),
    secret: 'credentials',
    doc: 'The address that clients use for HTTP, if it differs from the bound one. `Location` headers begin with it.',
  },

  'http.bind_address': {
    kind: bindAddress(),
    default: '0.0.0.0:9000',
    doc: 'Address of the HTTP listener. Port 0 takes any free port.',
  },
  'http.trust_proxy': {
    kind: boolean(),
    default: 'false',
    doc: 'Trust `X-Forwarded-For`, `-Proto` and `-Host`. Only behind a proxy that sets them itself.',
    why: 'Off, because any caller can send these headers.',
  },
  'http.allowed_hosts': {
    kind: list(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, 'a host name'),
    doc: "Public host names of this server, in addition to that of `public_url` and the machine's own. Requests for other public names get 403.",
    why: 'Protects against DNS rebinding: a page whose domain resolves to this server would otherwise have the same origin. Addresses, names without a dot and private endings such as `.internal` are always allowed.',
  },
  'http.cors_origins': {
    kind: list(
      /^https?:\/\/[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?$/,
      'an origin such as https://app.example.com',
    ),
    doc: 'Origins whose pages may send requests with scripts (CORS). All other cross-site requests from browsers get 403.',
    why: "None: a page that is open in a user's browser must not reach a server that only this user can reach.",
  },
  'http.frame_ancestors': {
    kind: list(
      /^https?:\/\/[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?$/,
      'an origin such as https://app.example.com',
    ),
    doc: 'Origins whose pages may show the console, or a shared link, in a frame (CSP `frame-ancestors`).',
    why: 'None: a page that shows the console inside of its own could make a user click where they do not mean to.',
  },
  'http.connections_max': {
    kind: integer(1, 1_000_000),
    default: '4096',
    doc: 'Open HTTP connections; further ones are closed at once.',
    why: 'An idle connection uses about 20 kB and a file descriptor.',
  },
  'http.unauthenticated_max': {
    kind: integer(1, 1_000_000),
    default: '1024',
    doc: 'Open HTTP connections without an authenticated request, on a server with credentials. Above the limit the oldest of them is closed, at the earliest a second after it was opened. When `http.connections_max` is reached, the oldest of them makes room for a new connection.',
    why: 'A quarter of `http.connections_max`: callers without a credential cannot keep others out.',
  },
  'http.connections_per_address_max': {
    kind: integer(0, 1_000_000),
    default: '0',
    doc: 'Open HTTP connections from one address; further ones are closed at once. 0: no limit.',
    why: 'Off, because a proxy, a load balancer or a NAT gateway has one address for all of its clients.',
  },
  'http.limit_max': {
    kind: integer(1, 999_999_999_999_999),
    default: '1000000',
    doc: 'The largest `limit` that `/exec` accepts in handle mode.',
    why: 'A JSON table of a million rows is about 60 MB, about as much as clients can parse.',
  },
  'http.body_bytes_max': {
    kind: byteSize(1, bytesMax),
    default: '64GiB',
    doc: 'The largest body of an upload, as sent and after its `Content-Encoding` is undone.',
    why: 'Bodies are written to disk as they arrive, so this protects the disk, not the memory.',
  },
  'http.url_bytes_max': {
    kind: byteSize(1024, 16 * 1024 ** 2),
    default: '64KiB',
    doc: 'The longest request URL; a longer one gets 414.',
    why: 'Larger than `tsdb.url_bytes_max`, so that the error for a long query names the limit that it exceeds.',
  },
  'http.header_bytes_max': {
    kind: byteSize(2048, 32 * 1024 ** 2),
    default: '128KiB',
    doc: 'Total size of request line and headers; more gets 431.',
    why: 'Node counts the URL as part of the headers: this is `http.url_bytes_max` and as much again.',
  },
  'http.request_timeout_ms': {
    kind: durationMs(1),
    default: '60000',
    doc: 'How long a client may pause while it sends a request.',
    why: 'Between bytes, not for the whole body: a slow upload may take hours, a dead one is noticed in a minute. The request line and headers have this time in total.',
  },
  'http.body_rate_min': {
    kind: byteSize(0, bytesMax),
    default: '256',
    doc: 'Bytes per second that a body must bring on average in each `http.request_timeout_ms` of waiting for it; otherwise it gets 408.',
    why: 'A modem of 1990 is ten times as fast; a caller who sends a byte per minute would block a put for nothing.',
  },
  'http.answer_timeout_ms': {
    kind: durationMs(1),
    default: '300000',
    doc: 'How long a client may read nothing of a response before it is cut off.',
    why: 'A client that processes what it has may pause for minutes; one that has vanished must not hold files forever.',
  },
  'http.keep_alive_ms': {
    kind: durationMs(1),
    default: '75000',
    doc: 'How long an idle connection stays open.',
    why: 'Longer than the 60 s of common load balancers, so that they close first and never send to a closed socket.',
  },
  'http.compression': {
    kind: boolean(),
    default: 'true',
    doc: 'Compress responses for clients that accept it.',
  },

  'mcp.enabled': {
    kind: boolean(),
    default: 'false',
    doc: 'Offer the Model Context Protocol at `/v1/mcp`, for agents ([mcp](mcp.md)).',
    why: 'Off, because a model that reads frames can be misled by what is in them: the operator decides.',
  },
  'mcp.rows_max': {
    kind: integer(1, 1_000_000),
    default: '1000',
    doc: 'The most rows that a query of an agent returns; the answer says if there are more.',
    why: 'A model reads its answers word by word; a thousand rows are more than it can use.',
  },
  'mcp.bytes_max': {
    kind: byteSize(1024, 64 * 1024 ** 2),
    default: '64KiB',
    doc: 'The most bytes that an answer to an agent has: of columns and rows, of listed frames, or of described columns.',
    why: 'About 20,000 tokens: a tenth of what a model of today can hold.',
  },
  'mcp.timeout_ms': {
    kind: durationMs(1),
    default: '50000',
    doc: 'How long one call of a tool may take.',
    why: 'Clients of the protocol give up after 60 s by default: the error arrives before that.',
  },

  'server.grpc_host': {
    kind: bindHost(),
    default: '0.0.0.0',
    flag: 'grpc-host',
    doc: 'Host of the gRPC listener, or `unix:/path` (then the port is not used).',
  },
  'server.grpc_port': {
    kind: integer(0, 65_535),
    default: '50052',
    flag: 'grpc-port',
    doc: 'Port of the gRPC listener. 0 takes any free port.',
  },
  'server.grpc_public_url': {
    kind: baseUrl({ schemes: ['grpc', 'grpc+tcp', 'grpc+tls'], credentials: false }),
    secret: 'credentials',
    flag: 'grpc-public-url',
    doc: 'The address that clients use for Flight, if it differs from the bound one. Flight endpoints name it.',
  },
  'server.max_connections': {
    kind: integer(1, 1_000_000),
    default: '100',
    flag: 'max-connections',
    doc: 'Open gRPC connections; further ones are closed at once.',
    why: 'A Flight client keeps one connection and may have several batches in flight on it.',
  },
  'server.unauthenticated_max': {
    kind: integer(1, 1_000_000),
    default: '25',
    flag: 'grpc-unauthenticated-max',
    doc: 'Open gRPC connections that have not made an authenticated call, on a server with credentials. Above the limit the oldest of them is closed, at the earliest a second after it was opened. When `server.max_connections` is reached, the oldest of them makes room for a new connection.',
    why: 'A quarter of `server.max_connections`: callers without a credential cannot keep others out.',
  },
  'server.connections_per_address_max': {
    kind: integer(0, 1_000_000),
    default: '0',
    flag: 'grpc-connections-per-address-max',
    doc: 'Open gRPC connections from one address; further ones are closed at once. 0: no limit.',
    why: 'Off, because a load balancer or a NAT gateway has one address for all of its clients.',
  },
  'server.message_bytes_max': {
    kind: byteSize(1024 ** 2, messageBytesMax),
    default: '1GiB',
    flag: 'grpc-message-bytes-max',
    doc: 'The largest gRPC message that is accepted.',
    why: 'pyarrow sends a whole record batch as one message, whatever its size.',
  },
  'server.message_memory_max': {
    kind: byteSize(1024 ** 2, bytesMax),
    default: '2GiB',
    flag: 'grpc-message-memory-max',
    doc: 'Bytes of gRPC messages held at once, over all calls; at least `server.message_bytes_max`. A call that needs more is rejected; retry later.',
    why: 'Two of the largest messages, or five hundred ordinary batches of 4 MiB.',
  },
  'server.call_timeout_ms': {
    kind: durationMs(1),
    default: '600000',
    flag: 'grpc-call-timeout-ms',
    doc: 'How long a gRPC client may neither send nor read anything in a call that waits for it; the call ends within twice this time.',
    why: 'A client may compute for some minutes between two batches. Meanwhile its put or read counts as in progress.',
  },
  'server.management_address': {
    kind: bindAddress(),
    flag: 'management-address',
    doc: 'A further address for `/ping`, `/healthz`, `/readyz` and `/metrics`, over plain HTTP and without credentials, answered by a thread of its own. `/healthz` is 503 there if the main thread has been stuck for 10 s. Only for supervisors and Prometheus: [what it shows](access.md#the-management-address).',
    why: 'Off, because whoever reaches it reads the metrics. On the main port a new connection waits while hundreds of others are busy, and a supervisor would take a healthy server for dead.',
  },
  'server.drain_delay_ms': {
    kind: durationMs(0),
    default: '5000',
    flag: 'drain-delay-ms',
    doc: 'How long after SIGTERM the server continues to serve while `/readyz` answers 503 and the gRPC health service NOT_SERVING. Skipped if neither was polled in the last minute.',
    why: 'Long enough for a load balancer that polls every second or two to notice, so that it sends nothing to a server that refuses requests.',
  },
  'server.drain_ms': {
    kind: durationMs(0),
    default: '90000',
    flag: 'drain-ms',
    doc: 'How long requests may continue after SIGTERM and `server.drain_delay_ms` before they are cut off. The server stops as soon as the last one has ended.',
    why: 'An upload or a read of a minute ends, with half a minute to spare. Whatever stops the server must wait for both times and 10 s more (`terminationGracePeriodSeconds`, `stop_grace_period`, `TimeoutStopSec`; `docker stop` waits for 10 s unless it is given a time).',
  },
} as const satisfies Record<string, Setting>;
