import { bindAddress, bindHost } from './address.ts';
import {
  baseUrl,
  boolean,
  byteSize,
  choice,
  decimal,
  durationMs,
  integer,
  type Kind,
  list,
  logLevel,
  path,
  text,
  token,
} from './kind.ts';
import { plainRustLevel } from './rust-log.ts';
import type { Setting } from './setting.ts';

const GiB = 1024 ** 3;
const bytesMax = 1024 ** 5;
/** Protocol buffers, and so Flight, cannot carry a message of 2 GiB. */
const messageBytesMax = 2 * GiB - 1;
const threadsMax = 64;
/** Any key or signed token is shorter, and it still fits beside a long URL into the headers that a database takes. */
const credentialLengthMax = 4_096;

/** Every setting, once. Flags, variables, the file, help and docs/reference/settings.md all come from this table. */
export const settingTable = {
  public_url: {
    kind: baseUrl({ schemes: ['http', 'https'], credentials: false }),
    secret: 'credentials',
    doc: 'The address that clients use for HTTP, where it is not the one bound. `Location` headers begin with it.',
  },

  'http.bind_address': {
    kind: bindAddress(),
    default: '0.0.0.0:9000',
    doc: 'Where the HTTP listener binds. Port 0 takes any free port.',
  },
  'http.trust_proxy': {
    kind: boolean(),
    default: 'false',
    doc: 'Believe `X-Forwarded-For`, `-Proto` and `-Host`. Only behind a proxy that sets them itself.',
    why: 'Off, because any caller can write these headers.',
  },
  'http.allowed_hosts': {
    kind: list(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, 'a host name'),
    doc: 'Public names under which callers reach this server, beside that of `public_url`. A request for another one is answered 403.',
    why: 'A page of a site whose name was made to lead here would otherwise be of this very origin for its browser. Addresses, names without a dot and private endings such as `.internal` are always fine.',
  },
  'http.cors_origins': {
    kind: list(
      /^https?:\/\/[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?$/,
      'an origin such as https://app.example.com',
    ),
    doc: 'Origins whose pages may ask this server with scripts (CORS). Everything else that a browser asks on behalf of another site is answered 403.',
    why: 'None: whoever has a page open must not lend it the way to a server that only they can reach.',
  },
  'http.connections_max': {
    kind: integer(1, 1_000_000),
    default: '4096',
    doc: 'Open HTTP connections; more are closed at once.',
    why: 'An idle connection holds some 20 kB and a file descriptor.',
  },
  'http.connections_per_address_max': {
    kind: integer(0, 1_000_000),
    default: '0',
    doc: 'Open HTTP connections from one address; more are closed at once. 0: no limit.',
    why: 'Off, because a proxy, a load balancer or a NAT gateway has one address for all of its clients.',
  },
  'http.limit_max': {
    kind: integer(1, 999_999_999_999_999),
    default: '1000000',
    doc: 'The largest `limit` that `/exec` accepts in handle mode.',
    why: 'A JSON table of a million rows is some 60 MB, about what a client can still parse.',
  },
  'http.body_bytes_max': {
    kind: byteSize(1, bytesMax),
    default: '64GiB',
    doc: 'The largest body of an upload, as it comes and after its `Content-Encoding` is undone.',
    why: 'Bodies go to disk as they arrive, so this guards the disk, not the memory.',
  },
  'http.url_bytes_max': {
    kind: byteSize(1024, 16 * 1024 ** 2),
    default: '64KiB',
    doc: 'The longest request URL; a longer one is answered 414.',
    why: 'Above `tsdb.url_bytes_max`, so that the caller of a long query is told which of the two it broke.',
  },
  'http.header_bytes_max': {
    kind: byteSize(2048, 32 * 1024 ** 2),
    default: '128KiB',
    doc: 'The most bytes of request line and headers together; more is answered 431.',
    why: 'Node counts the URL among the headers: this is `http.url_bytes_max` and as much again.',
  },
  'http.request_timeout_ms': {
    kind: durationMs(1),
    default: '60000',
    doc: 'How long a client may pause while it sends a request.',
    why: 'Between bytes, not for the whole body: a slow upload may take hours, a dead one is noticed in a minute. The request line and headers have this time in all.',
  },
  'http.body_rate_min': {
    kind: byteSize(0, bytesMax),
    default: '256',
    doc: 'Bytes a second that a body must bring on average in each `http.request_timeout_ms` of waiting for it; else it is answered 408.',
    why: 'A modem of 1990 brings ten times as much; a caller who sends a byte a minute holds a put for nothing.',
  },
  'http.answer_timeout_ms': {
    kind: durationMs(1),
    default: '300000',
    doc: 'How long a client may take nothing of an answer that is being sent before it is cut off.',
    why: 'A reader that works through what it has may pause for minutes; one that left without a word must not hold files for ever.',
  },
  'http.keep_alive_ms': {
    kind: durationMs(1),
    default: '75000',
    doc: 'How long an idle connection is kept open.',
    why: 'Longer than the 60 s of common load balancers, so that they close first and never send into a closed socket.',
  },
  'http.compression': {
    kind: boolean(),
    default: 'true',
    doc: 'Compress answers for clients that ask for it.',
  },

  'server.grpc_host': {
    kind: bindHost(),
    default: '0.0.0.0',
    flag: 'grpc-host',
    doc: 'Host of the gRPC listener, or `unix:/path` (then the port does not count).',
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
    doc: 'The address that clients use for Flight, where it is not the one bound. Flight endpoints name it.',
  },
  'server.max_connections': {
    kind: integer(1, 1_000_000),
    default: '100',
    flag: 'max-connections',
    doc: 'Open gRPC connections; more are closed at once.',
    why: 'A Flight client keeps one connection and may hold several batches in flight on it.',
  },
  'server.unauthenticated_max': {
    kind: integer(1, 1_000_000),
    default: '25',
    flag: 'grpc-unauthenticated-max',
    doc: 'Open gRPC connections that have not made an authenticated call, on a server with credentials. Above it the oldest of them is closed, at the earliest a second after it was opened. When `server.max_connections` is reached, the oldest of them makes room for a new connection.',
    why: 'A quarter of `server.max_connections`: those who have no credential cannot keep the others out.',
  },
  'server.connections_per_address_max': {
    kind: integer(0, 1_000_000),
    default: '0',
    flag: 'grpc-connections-per-address-max',
    doc: 'Open gRPC connections from one address; more are closed at once. 0: no limit.',
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
    doc: 'Bytes of gRPC messages that are held at once, over all calls; at least `server.message_bytes_max`. A call that needs more is told to come back.',
    why: 'Two of the largest messages, or five hundred ordinary batches of 4 MiB.',
  },
  'server.call_timeout_ms': {
    kind: durationMs(1),
    default: '600000',
    flag: 'grpc-call-timeout-ms',
    doc: 'How long a gRPC client may neither send nor take anything in a call that waits for it; the call ends within twice this time.',
    why: 'A client may compute for some minutes between two batches. Meanwhile its put or read counts as one under way.',
  },
  'server.drain_delay_ms': {
    kind: durationMs(0),
    default: '5000',
    flag: 'drain-delay-ms',
    doc: 'How long after SIGTERM the server goes on as before while `/readyz` answers 503 and the gRPC health service NOT_SERVING. Skipped if nobody has asked either in the last minute.',
    why: 'Long enough for a balancer that asks every second or two to notice, so that no request meets a closed port. With `server.drain_ms` below the 30 s after which Kubernetes kills.',
  },
  'server.drain_ms': {
    kind: durationMs(0),
    default: '10000',
    flag: 'drain-ms',
    doc: 'How long requests may go on after SIGTERM, and after `server.drain_delay_ms`, before they are cut off.',
    why: 'Well below the 30 s after which Kubernetes kills.',
  },

  'auth.required': {
    kind: boolean(),
    default: 'false',
    doc: 'Ask every caller for a credential even where none is configured yet. Tokens (`framehold token create`), an issuer of JSON Web Tokens or an authority for client certificates count by themselves.',
    why: 'Without credentials a server is open, as its specification has it.',
  },
  'auth.jwt_issuer': {
    kind: text(512),
    doc: 'The issuer (`iss`) whose JSON Web Tokens are accepted. Wants `auth.jwt_audience` and keys.',
  },
  'auth.jwt_audience': {
    kind: text(512),
    doc: 'What `aud` of a JSON Web Token must name: this server, as the issuer knows it.',
  },
  'auth.jwt_keys_url': {
    kind: baseUrl({ schemes: ['https', 'http'], credentials: false }),
    doc: 'Where the issuer publishes its keys (JWKS). A key that is not known is asked for again, at most once a second.',
  },
  'auth.jwt_keys_file': {
    kind: path(),
    doc: 'The keys of the issuer in a file (JWKS), read again when it changes.',
  },
  'auth.jwt_keys_max_age_ms': {
    kind: durationMs(1_000),
    default: '300000',
    doc: 'How long keys that were fetched are used before they are fetched again.',
    why: 'A key that the issuer has withdrawn counts for so long at most.',
  },
  'auth.jwt_tenant_claim': {
    kind: text(128),
    default: 'tenant',
    doc: 'The claim that names the tenant: by its name, or a path with dots.',
  },
  'auth.jwt_scope_claim': {
    kind: text(128),
    default: 'scope',
    doc: 'The claim that lists the scopes: words in one text, or a list.',
  },
  'auth.jwt_scope_prefix': {
    kind: text(64),
    doc: 'What comes before our scopes in that claim, such as `framehold:`; other words in it are passed over.',
  },

  'tenant.bytes_max': {
    kind: byteSize(0, bytesMax),
    doc: 'Bytes that a tenant may hold: of all kept versions of its frames, as they were put. A put above it is answered 429.',
    why: 'One tenant may use the whole server until somebody says otherwise; the same holds for the other bounds of a tenant.',
  },
  'tenant.frames_max': {
    kind: integer(0, 1_000_000_000),
    doc: 'Frames that a tenant may hold. A put of another name is answered 429.',
  },
  'tenant.queries_max': {
    kind: integer(1, 100_000),
    doc: 'SQL statements of a tenant that wait or run, and its queries of the external database; the next one is answered 429.',
  },
  'tenant.streams_max': {
    kind: integer(1, 1_000_000),
    doc: 'Puts and reads of a tenant that are under way; the next one is answered 429. Answers that are kept in memory do not count.',
  },
  'tenant.requests_per_second': {
    kind: integer(1, 1_000_000),
    doc: 'Requests of a tenant in a second, over HTTP and Flight together; more are answered 429.',
  },
  'tenant.requests_burst': {
    kind: integer(1, 1_000_000),
    default: '100',
    doc: 'Requests that a tenant may send at once after a pause, where `tenant.requests_per_second` is set.',
    why: 'A notebook or a dashboard asks for everything at once when it is opened, and then for little.',
  },

  'tls.cert_file': {
    kind: path(),
    doc: 'The certificate, with its chain, as PEM: both listeners then speak TLS only. Wants `tls.key_file`.',
  },
  'tls.key_file': {
    kind: path(),
    doc: 'The private key of the certificate, as PEM.',
  },
  'tls.client_ca_file': {
    kind: path(),
    doc: 'Authorities whose client certificates are accepted, as PEM. Which caller a certificate is says `framehold token create --certificate`.',
  },
  'tls.client_auth': {
    kind: choice('optional', 'required'),
    default: 'optional',
    doc: 'Whether a connection without a client certificate is taken. Only with `tls.client_ca_file`.',
    why: 'Tokens and certificates can be used side by side.',
  },
  'tls.reload_ms': {
    kind: durationMs(100),
    default: '10000',
    doc: 'How often the files are looked at; new ones count for new connections.',
    why: 'Two calls of the kernel each time; whoever renews a certificate does so hours before it is due.',
  },

  'tsdb.http_url': {
    kind: baseUrl({ schemes: ['http', 'https'], credentials: true }),
    secret: 'credentials',
    otherVariables: [{ name: 'TSDB_HTTP_URL' }],
    doc: 'The external time-series database. When set, `/exec?query=` is forwarded to it. Credentials in it are sent as basic authentication and never shown; better is `tsdb.username`.',
  },
  'tsdb.username': {
    kind: text(credentialLengthMax),
    doc: 'The name under which the database knows this server, sent with the password as basic authentication.',
  },
  'tsdb.password': {
    kind: text(credentialLengthMax),
    secret: 'whole',
    doc: 'The password of `tsdb.username`. Never shown. Not as a flag: whoever lists processes reads it.',
  },
  'tsdb.password_file': {
    kind: path(),
    doc: 'A file that holds the password, instead of `tsdb.password`. It is read at start; one line break at its end is not part of it.',
  },
  'tsdb.token': {
    kind: token(credentialLengthMax),
    secret: 'whole',
    doc: 'A token that the database takes as `Authorization: Bearer`, instead of a name and a password. Never shown. Not as a flag: whoever lists processes reads it.',
  },
  'tsdb.token_file': {
    kind: path(),
    doc: 'A file that holds the token, instead of `tsdb.token`. It is read at start; one line break at its end is not part of it.',
  },
  'tsdb.timeout_ms': {
    kind: durationMs(1),
    default: '60000',
    doc: 'How long the database may take to begin its answer, or pause in it.',
    why: 'The time after which QuestDB itself gives up on a query.',
  },
  'tsdb.url_bytes_max': {
    kind: byteSize(256, 16 * 1024 ** 2),
    default: '32209',
    doc: 'The longest URL that is forwarded, less half of the bytes of the headers that the server sends with it; a longer one is answered 414.',
    why: 'QuestDB closes the connection without an answer above it. It counts the URL twice and the headers once: see its setting `http.request.header.buffer.size`, by default 64,448.',
  },
  'tsdb.connections_max': {
    kind: integer(1, 10_000),
    default: '32',
    doc: 'Connections to the database; further queries wait for one.',
    why: 'Far more than a database runs queries at once, far fewer than it accepts.',
  },

  'storage.data_dir': {
    kind: path(),
    default: '~/.framehold/data',
    flag: 'data-dir',
    doc: 'Where frames and the catalog are kept. One server at a time.',
  },
  'storage.permissions': {
    kind: choice('private', 'group'),
    default: 'private',
    doc: 'Who may read the files that the server makes: its own user (umask 077), or its group too (umask 027). The data directory and the Parquet directory themselves get mode 700 or 750, also if they were there before. Credentials, the key of links and temporary files of SQL are always private.',
    why: 'The rows of every tenant are in these files.',
  },
  'storage.parquet_path': {
    kind: path(),
    flag: 'parquet-path',
    doc: 'Directory for the Parquet forms (cold storage). Unset: `cold` in the data directory.',
  },
  'storage.duckdb_path': {
    kind: path(),
    flag: 'duckdb-path',
    doc: 'File of the embedded analytics database. SQL reads its tables as analytics.schema.table; made where it is not there. Unset: there is none.',
  },
  'storage.cache_size_gb': {
    kind: decimal(0),
    flag: 'cache-size',
    doc: 'How many GB (10⁹ bytes) of Arrow forms are kept beside their Parquet forms. Unset: all of them.',
  },

  'storage.reserve_bytes': {
    kind: byteSize(0, bytesMax),
    default: '256MiB',
    doc: 'Bytes of the disk that puts and temporary files of statements leave alone: with less than this free they are answered 507, and settling waits.',
    why: "Dropping frames needs room too: the catalog's log of changes may grow to 128 MiB before it is written back.",
  },

  'scrub.interval_hours': {
    kind: decimal(0),
    default: '168',
    doc: 'How often the server reads everything it keeps and compares SHA-256. 0 turns it off.',
    why: 'A week: disks scrub themselves as often, and a copy is likely to be still good by then.',
  },
  'scrub.bytes_per_second': {
    kind: byteSize(1024, bytesMax),
    default: '32MiB',
    doc: 'How fast the scrub reads.',
    why: 'A few per cent of a core and of a disk; 19 TB in a week.',
  },

  'compression.algorithm': {
    kind: choice('zstd', 'snappy', 'gzip', 'lz4', 'none'),
    default: 'zstd',
    doc: 'How Parquet forms are compressed.',
    why: 'The smallest files of these, and the fastest to read among the small.',
  },
  'compression.level': {
    kind: integer(1, 22),
    default: '3',
    doc: 'The level of zstd for forms that are compressed anew, later and at the lowest priority: Parquet forms, and Arrow forms that stay for good (at most at 9). The first write of Parquet has level 1, so 1 leaves it at that.',
    why: 'Higher levels save a few per cent for many times the work.',
  },

  'frames.versions_keep': {
    kind: integer(1, 1_000_000),
    default: '10',
    doc: 'How many versions of a name are kept; older ones are gone (410).',
    why: 'Enough to look back and to finish what still reads an older one.',
  },
  'frames.versions_keep_days': {
    kind: integer(1, 36_500),
    doc: 'Versions older than this many days are gone (410), also among the last `frames.versions_keep`; the newest of a name always stays. Unset: age does not count.',
  },
  'frames.undrop_hours': {
    kind: integer(0, 720),
    default: '24',
    doc: 'How long a dropped frame can be undropped. Until then it takes room, also of `tenant.bytes_max`; it goes first when the disk is short of room. `0` turns it off: a drop is final.',
    why: 'A day covers a mistake that is found the next morning. At most 30 days, as long as a dropped name answers 410.',
  },
  'frames.batch_bytes_max': {
    kind: byteSize(1024, messageBytesMax),
    default: '1GiB',
    doc: 'The largest record batch that is accepted.',
    why: 'As `server.message_bytes_max`: Flight hands out a batch as one message.',
  },
  'frames.puts_max': {
    kind: integer(1, 10_000),
    default: '64',
    doc: 'Puts at the same time; further ones wait.',
    why: 'Each holds buffers of up to some 16 MB where the disk is slower than the network.',
  },
  'frames.reads_max': {
    kind: integer(1, 100_000),
    default: '512',
    doc: 'Reads at the same time, over HTTP and Flight together; further ones wait. Answers that are kept in memory do not count.',
    why: 'Each holds a file and, for a slow reader, some 0.5 MB over HTTP and two batches over Flight.',
  },
  'frames.queue_max': {
    kind: integer(0, 1_000_000),
    default: '1024',
    doc: 'Puts that may wait for others to end, and as many reads; the next one is told to come back (503).',
    why: 'One that waits holds little more than its connection; a longer queue would only end in timeouts.',
  },
  'frames.queue_wait_ms': {
    kind: durationMs(1),
    default: '10000',
    doc: 'How long a put or a read may wait for others to end before it is told to come back (503).',
    why: 'Long enough for a burst to pass, shorter than clients and proxies commonly wait.',
  },

  'sql.processes_max': {
    kind: integer(1, threadsMax),
    default: '4',
    doc: 'Statements that run at once, each in an engine process of its own.',
    why: 'More than cores, so that a slow reader does not hold up the others. A process that does nothing is ended after a while.',
  },
  'sql.threads': {
    kind: integer(1, threadsMax),
    default: '2',
    doc: 'Threads of an engine process.',
    why: 'Two cores are what small machines have.',
  },
  'sql.memory_bytes_max': {
    kind: byteSize(64 * 1024 ** 2, bytesMax),
    default: '1GiB',
    doc: 'Memory that an engine process may use for a statement before it writes to temporary files.',
    why: 'Four statements at once fit into 8 GiB beside the server itself.',
  },
  'sql.temp_bytes_max': {
    kind: byteSize(0, bytesMax),
    default: '16GiB',
    doc: 'Temporary files of one statement. They leave `storage.reserve_bytes` alone, too.',
    why: 'Sorting a few times more than memory holds works; a runaway join does not fill the disk.',
  },
  'sql.timeout_ms': {
    kind: durationMs(1),
    default: '300000',
    doc: 'How long a statement may work. Time in which it waits for its reader does not count.',
    why: 'Longer than people wait in front of a screen.',
  },
  'sql.queue_max': {
    kind: integer(0, 100_000),
    default: '200',
    doc: 'Statements that may wait; the next one is told to come back.',
    why: 'A hundred dashboards that refresh at once all get their turn.',
  },
  'sql.queue_wait_ms': {
    kind: durationMs(1),
    default: '60000',
    doc: 'How long a statement may wait for its turn.',
    why: 'A caller that waits longer has mostly given up.',
  },
  'sql.prepared_max': {
    kind: integer(1, 1_000_000),
    default: '1000',
    doc: 'Prepared statements that are held between calls (Flight SQL); above that the one that was not used for the longest time is forgotten.',
    why: 'Ten for each of a hundred connections. A statement takes some kilobytes and no place in the engine.',
  },
  'sql.text_bytes_max': {
    kind: byteSize(1024, 64 * 1024 ** 2),
    default: '1MiB',
    doc: 'The longest text of a statement with its parameters.',
    why: 'Long lists of literals fit; the text goes through the parser, whose work grows with it.',
  },

  'cache.rendered_bytes_max': {
    kind: byteSize(0, bytesMax),
    default: '64MiB',
    doc: 'Memory for rendered JSON answers. 0 keeps none.',
    why: 'Some thousand answers of the default limit.',
  },
  'cache.rendered_entry_bytes_max': {
    kind: byteSize(0, bytesMax),
    default: '1MiB',
    doc: 'The largest rendered answer that is kept.',
    why: 'One large answer must not push out many small ones.',
  },

  'render.threads': {
    kind: integer(1, threadsMax),
    default: '2',
    doc: 'Worker threads that turn frames into JSON, CSV and other formats.',
    why: 'One long export then does not stop short reads.',
  },
  'decode.threads': {
    kind: integer(1, threadsMax),
    default: '2',
    doc: 'Worker threads that check uploads, and as many processes that decode those which are not Arrow streams; a process is kept for the next upload and takes some 100 MB. One more decodes uploads of up to 1 MiB while all of these are busy.',
    why: 'One long upload then does not stop short ones.',
  },
  'decode.time_ms_max': {
    kind: durationMs(1_000),
    default: '30000',
    doc: 'How long the worker may work on an upload of Parquet, CSV, NDJSON or an Arrow file, or check an Arrow stream: this long, and a second for each MiB of it.',
    why: 'A MiB of CSV takes some 60 ms; what takes much longer was made to.',
  },
  'decode.memory_bytes_max': {
    kind: byteSize(256 * 1024 ** 2, bytesMax),
    default: '2GiB',
    doc: 'The memory of the process that decodes an upload of Parquet, CSV, NDJSON or an Arrow file. There are up to `decode.threads` of them.',
    why: 'The Parquet library may take 1 GiB for a row group, and what it gives is held beside it.',
  },
  'settle.threads': {
    kind: integer(0, threadsMax),
    default: '1',
    doc: 'Processes that write Parquet forms in the background. 0 turns settling off.',
    why: 'Nobody waits for it, and a process takes up to 500 MB while it works.',
  },

  'jobs.sweep_interval_ms': {
    kind: durationMs(100),
    default: '5000',
    doc: 'How often expired frames, old versions and removed objects are looked for.',
    why: 'A look is one indexed query; expiry is exact without it, this only frees the room.',
  },

  'logging.level': {
    kind: logLevel(),
    default: 'info',
    flag: 'log-level',
    otherVariables: [{ name: 'RUST_LOG', translate: plainRustLevel }],
    doc: 'The least important lines to log. Of `RUST_LOG` the plain level counts, `target=level` pairs are passed over.',
  },
  'logging.format': {
    kind: choice('json', 'text'),
    default: 'json',
    flag: 'log-format',
    doc: 'One JSON object a line, or text for people.',
  },
} as const satisfies Record<string, Setting>;

type Table = typeof settingTable;
export type SettingKey = keyof Table;

type ValueOf<S extends Setting> =
  S['kind'] extends Kind<infer T> ? (S extends { readonly default: string } ? T : T | undefined) : never;

/** The values in force. */
export type Settings = { readonly [Key in SettingKey]: ValueOf<Table[Key]> };

export const settingKeys = Object.keys(settingTable) as SettingKey[];

export function settingOf(key: SettingKey): Setting {
  return settingTable[key];
}
