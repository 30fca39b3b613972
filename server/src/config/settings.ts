import {
  baseUrl,
  boolean,
  byteSize,
  choice,
  decimal,
  durationMs,
  integer,
  type Kind,
  logLevel,
  path,
  text,
  token,
} from './kind.ts';
import { listenerSettings, messageBytesMax } from './listener-settings.ts';
import { bucketSettings, nodeSettings } from './node-settings.ts';
import { postgresSettings } from './postgres-settings.ts';
import { plainRustLevel } from './rust-log.ts';
import type { Setting } from './setting.ts';
import { sparkSettings } from './spark-settings.ts';

/** 1 PiB: no limit in use, but a number that is still exact. Larger values are typing errors. */
const bytesMax = 1024 ** 5;
/** More threads than one machine has processors for; each has a heap. */
const threadsMax = 64;
/** Any key or signed token is shorter, and fits beside a long URL into the headers that a database accepts. */
const credentialLengthMax = 4_096;

/** Every setting, once. Flags, variables, the file, help and docs/reference/settings.md all come from this table. */
export const settingTable = {
  ...listenerSettings,
  ...postgresSettings,

  'auth.required': {
    kind: boolean(),
    default: 'false',
    doc: 'Require a credential from every caller even if none is configured yet. Tokens (`framehold token create`), an issuer of JSON Web Tokens or an authority for client certificates have this effect by themselves. Without any of these the first start creates a token of scope `admin` and prints it.',
    why: 'Without credentials a server is open, as its specification requires.',
  },
  'auth.jwt_issuer': {
    kind: text(512),
    doc: 'The issuer (`iss`) whose JSON Web Tokens are accepted. Requires `auth.jwt_audience` and keys.',
  },
  'auth.jwt_audience': {
    kind: text(512),
    doc: 'The required `aud` of a JSON Web Token: this server, as the issuer knows it.',
  },
  'auth.jwt_keys_url': {
    kind: baseUrl({ schemes: ['https', 'http'], credentials: false }),
    doc: 'Where the issuer publishes its keys (JWKS). The keys are fetched again for an unknown key, at most once a second.',
  },
  'auth.jwt_keys_file': {
    kind: path(),
    doc: 'The keys of the issuer in a file (JWKS), read again when it changes.',
  },
  'auth.jwt_keys_max_age_ms': {
    kind: durationMs(1_000),
    default: '300000',
    doc: 'How long fetched keys are used before they are fetched again.',
    why: 'A key that the issuer has withdrawn is accepted for at most this long.',
  },
  'auth.jwt_tenant_claim': {
    kind: text(128),
    default: 'tenant',
    doc: 'The claim with the tenant: a name, or a path with dots.',
  },
  'auth.jwt_scope_claim': {
    kind: text(128),
    default: 'scope',
    doc: 'The claim with the scopes: words separated by spaces, or a list.',
  },
  'auth.jwt_scope_prefix': {
    kind: text(64),
    doc: "Prefix of Framehold's scopes in that claim, such as `framehold:`; other words in it are ignored.",
  },

  'tenant.bytes_max': {
    kind: byteSize(0, bytesMax),
    doc: 'Bytes that a tenant may store: of all kept versions of its frames, as they were put. A put above the limit gets 429.',
    why: 'Not set: one tenant can use the whole server. The same applies to the other limits of a tenant.',
  },
  'tenant.frames_max': {
    kind: integer(0, 1_000_000_000),
    doc: 'Frames that a tenant may store. A put of another name gets 429.',
  },
  'tenant.queries_max': {
    kind: integer(1, 100_000),
    doc: 'SQL statements of a tenant that wait or run, and its queries of the external database; the next one gets 429. Nodes that share a catalog divide the limit among them.',
  },
  'tenant.streams_max': {
    kind: integer(1, 1_000_000),
    doc: 'Puts and reads of a tenant in progress; the next one gets 429. Responses from the cache do not count. Divided among nodes.',
  },
  'tenant.requests_per_second': {
    kind: integer(1, 1_000_000),
    doc: 'Requests of a tenant per second, over HTTP and Flight together; more get 429. Divided among nodes.',
  },
  'tenant.requests_burst': {
    kind: integer(1, 1_000_000),
    default: '100',
    doc: 'Requests that a tenant may send at once after a pause, if `tenant.requests_per_second` is set. Divided among nodes.',
    why: 'A notebook or a dashboard loads everything at once when it is opened, and then little.',
  },

  'tls.cert_file': {
    kind: path(),
    doc: 'The certificate with its chain, as PEM; both listeners then accept TLS only. Requires `tls.key_file`.',
  },
  'tls.key_file': {
    kind: path(),
    doc: 'The private key of the certificate, as PEM.',
  },
  'tls.client_ca_file': {
    kind: path(),
    doc: 'Authorities whose client certificates are accepted, as PEM. `framehold token create --certificate` assigns a certificate to a caller.',
  },
  'tls.client_auth': {
    kind: choice('optional', 'required'),
    default: 'optional',
    doc: 'Whether client certificates are optional or required. Only with `tls.client_ca_file`.',
    why: 'Tokens and certificates can be used side by side.',
  },
  'tls.reload_ms': {
    kind: durationMs(100),
    default: '10000',
    doc: 'How often the files are checked; new ones apply to new connections.',
    why: 'Each check is two system calls, and certificates are usually renewed hours before they expire.',
  },

  'tsdb.http_url': {
    kind: baseUrl({ schemes: ['http', 'https'], credentials: true }),
    secret: 'credentials',
    otherVariables: [{ name: 'TSDB_HTTP_URL' }],
    doc: 'The external time-series database. If set, `/exec?query=` is forwarded to it. Credentials in the URL are sent as basic authentication and never shown; `tsdb.username` is better.',
  },
  'tsdb.username': {
    kind: text(credentialLengthMax),
    doc: 'The user name of this server in the database, sent with the password as basic authentication.',
  },
  'tsdb.password': {
    kind: text(credentialLengthMax),
    secret: 'whole',
    doc: 'The password of `tsdb.username`. Never shown. Do not use the flag: it is visible in the process list.',
  },
  'tsdb.password_file': {
    kind: path(),
    doc: 'A file with the password, instead of `tsdb.password`. It is read at start; one line break at its end is ignored.',
  },
  'tsdb.token': {
    kind: token(credentialLengthMax),
    secret: 'whole',
    doc: 'A token sent to the database as `Authorization: Bearer`, instead of a name and a password. Never shown. Do not use the flag: it is visible in the process list.',
  },
  'tsdb.token_file': {
    kind: path(),
    doc: 'A file with the token, instead of `tsdb.token`. It is read at start; one line break at its end is ignored.',
  },
  'tsdb.timeout_ms': {
    kind: durationMs(1),
    default: '60000',
    doc: 'How long the database may take to begin its response, or pause in it.',
    why: 'The time after which QuestDB itself stops a query.',
  },
  'tsdb.url_bytes_max': {
    kind: byteSize(256, 16 * 1024 ** 2),
    default: '32209',
    doc: 'The longest URL that is forwarded, less half of the bytes of the headers that the server sends with it; a longer one gets 414.',
    why: 'Above it QuestDB closes the connection without a response. It counts the URL twice and the headers once: see its setting `http.request.header.buffer.size`, by default 64,448.',
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
    doc: 'Directory of frames and the catalog. One server at a time. With `storage.url` it only has copies of objects and files being written.',
  },
  'storage.permissions': {
    kind: choice('private', 'group'),
    default: 'private',
    doc: "Who may read the server's files: its own user (umask 077), or its group too (umask 027). The data directory and the Parquet directory themselves get mode 700 or 750, even if they existed before. Credentials, the key of links and temporary files of SQL are always private.",
    why: 'The rows of every tenant are in these files.',
  },
  'storage.parquet_path': {
    kind: path(),
    flag: 'parquet-path',
    doc: 'Directory of the Parquet forms (cold storage). Unset: `cold` in the data directory.',
  },
  'storage.duckdb_path': {
    kind: path(),
    flag: 'duckdb-path',
    doc: 'File of the embedded analytics database. SQL reads its tables as analytics.schema.table. The file is created if it does not exist. Unset: there is none.',
  },
  'storage.cache_size_gb': {
    kind: decimal(0),
    flag: 'cache-size',
    doc: 'How many GB (10⁹ bytes) of Arrow forms are kept in addition to their Parquet forms. Unset: all of them. With `storage.url`: the size of the local copies of objects on this node; unset: half of the free space of the disk at the start.',
  },

  'storage.reserve_bytes': {
    kind: byteSize(0, bytesMax),
    default: '256MiB',
    doc: 'Free disk space that puts and temporary files of statements do not use: with less than this free they get 507, and transcoding waits.',
    why: "Dropping frames needs disk space too: the catalog's log of changes may grow to 128 MiB before it is written back.",
  },

  ...bucketSettings,

  ...nodeSettings,

  'scrub.interval_hours': {
    kind: decimal(0),
    default: '168',
    doc: 'How often the server reads all stored data and compares SHA-256. 0 turns it off.',
    why: 'A week: disks check themselves as often, and a backup is probably still good by then.',
  },
  'scrub.bytes_per_second': {
    kind: byteSize(1024, bytesMax),
    default: '32MiB',
    doc: 'How fast the scrub and the review of damaged objects read.',
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
    doc: 'The zstd level of Parquet forms, and of Arrow forms that are kept permanently (at most 9). A Parquet form that a statement waits for is written at level 1. Above 9, transcoding takes up to thirty times as long, and statements on new frames may wait more often.',
    why: 'Higher levels save a few per cent for many times the work.',
  },

  'frames.versions_keep': {
    kind: integer(1, 1_000_000),
    default: '10',
    doc: 'How many versions of a name are kept, unless its owner has set another number for the name; older ones are gone (410), except those that are pinned: by a link in force, for example.',
    why: 'Enough to look back, and for reads of an older version to finish.',
  },
  'frames.versions_keep_max': {
    kind: integer(1, 1_000_000),
    default: '1000',
    doc: 'The most versions that can be asked for with `versionsKeep` of a frame; never less than `frames.versions_keep`. Numbers that were set before it was lowered stay.',
    why: 'As many versions as links can pin. Their bytes count towards `tenant.bytes_max`; this bounds what bytes do not: rows of the catalog, and parts of appends that cannot be compacted.',
  },
  'frames.versions_keep_days': {
    kind: integer(1, 36_500),
    doc: 'Versions older than this many days are gone (410), even among the last `frames.versions_keep`; the newest version of a name and those that are pinned stay. Unset: versions have no age limit.',
  },
  'frames.undrop_hours': {
    kind: integer(0, 720),
    default: '24',
    doc: 'How long a dropped frame can be undropped. During this time it uses disk space and counts towards `tenant.bytes_max`; it is removed first when the disk is short of space. `0`: a drop is final.',
    why: 'A day covers a mistake that is found the next morning. At most 30 days, as long as a dropped name answers 410.',
  },
  'frames.batch_bytes_max': {
    kind: byteSize(1024, messageBytesMax),
    default: '1GiB',
    doc: 'The largest record batch that is accepted.',
    why: 'The same as `server.message_bytes_max`: Flight sends a batch as one message.',
  },
  'frames.puts_max': {
    kind: integer(1, 10_000),
    default: '64',
    doc: 'Puts at the same time; further ones wait.',
    why: 'Each uses buffers of up to about 16 MB if the disk is slower than the network.',
  },
  'frames.reads_max': {
    kind: integer(1, 100_000),
    default: '512',
    doc: 'Reads at the same time, over HTTP and Flight together; further ones wait. Responses from the cache do not count.',
    why: 'Each uses a file and, for a slow reader, about 0.5 MB over HTTP and two batches over Flight.',
  },
  'frames.queue_max': {
    kind: integer(0, 1_000_000),
    default: '1024',
    doc: 'Puts that may wait for others to end, and as many reads; further ones are rejected (503).',
    why: 'A waiting request uses little more than its connection; a longer queue would only end in timeouts.',
  },
  'frames.queue_wait_ms': {
    kind: durationMs(1),
    default: '10000',
    doc: 'How long a put or a read may wait for others to end before it is rejected (503).',
    why: 'Long enough for a burst to pass, shorter than clients and proxies commonly wait.',
  },

  'events.streams_max': {
    kind: integer(1, 1_000_000),
    default: '1000',
    doc: 'Open streams of `GET /v1/events`; further ones are rejected (503).',
    why: 'Each is a connection, of which `http.connections_max` must leave some for other requests.',
  },
  'events.tenant_streams_max': {
    kind: integer(1, 1_000_000),
    default: '200',
    doc: 'Open streams of events of one tenant; the next one gets 429.',
    why: 'A browser needs one stream for all its tabs. A program that opens streams and forgets them must not use up those of others.',
  },

  'sql.processes_max': {
    kind: integer(1, threadsMax),
    default: '4',
    doc: 'Statements that run at once, each in its own engine process.',
    why: 'More than cores, so that a slow reader does not block the others. An idle process is ended after a while.',
  },
  'sql.threads': {
    kind: integer(1, threadsMax),
    default: '2',
    doc: 'Threads of an engine process.',
    why: 'Small machines have two cores.',
  },
  'sql.memory_bytes_max': {
    kind: byteSize(64 * 1024 ** 2, bytesMax),
    default: '1GiB',
    doc: 'Memory that an engine process may use for a statement before it writes temporary files.',
    why: 'Four statements at once fit into 8 GiB together with the server itself.',
  },
  'sql.temp_bytes_max': {
    kind: byteSize(0, bytesMax),
    default: '16GiB',
    doc: 'Temporary files of one statement. They do not use `storage.reserve_bytes` either.',
    why: 'Sorting a few times more than fits into memory works; a runaway join does not fill the disk.',
  },
  'sql.timeout_ms': {
    kind: durationMs(1),
    default: '300000',
    doc: 'How long a statement may run. Time spent waiting for its reader does not count.',
    why: 'Longer than people wait in front of a screen.',
  },
  'sql.queue_max': {
    kind: integer(0, 100_000),
    default: '200',
    doc: 'Statements that may wait; further ones are rejected (503).',
    why: 'A hundred dashboards that refresh at once all get their turn.',
  },
  'sql.queue_wait_ms': {
    kind: durationMs(1),
    default: '60000',
    doc: 'How long a statement may wait for its turn.',
    why: 'A caller that has waited longer has usually given up.',
  },
  'sql.prepared_max': {
    kind: integer(1, 1_000_000),
    default: '1000',
    doc: 'Prepared statements kept between calls (Flight SQL), by all nodes together; above the limit, the tenant that holds the most loses its least recently used one.',
    why: 'Ten for each of a hundred connections. A statement uses some kilobytes and no engine process.',
  },
  'sql.text_bytes_max': {
    kind: byteSize(1024, 64 * 1024 ** 2),
    default: '1MiB',
    doc: 'The longest text of a statement with its parameters.',
    why: "Long lists of literals fit; the parser's work grows with the text.",
  },
  'sql.answers_bytes_max': {
    kind: byteSize(0, bytesMax),
    default: '64MiB',
    doc: 'Memory for the answers of SQL queries, which are given again to the same statement over the same versions, and for the texts and columns of statements; one answer takes a sixteenth at most. 0 turns it off: every statement is then bound and run.',
    why: 'Some thousand answers of the size that dashboards ask for.',
  },
  'sql.history_max': {
    kind: integer(0, 100_000),
    default: '1000',
    doc: 'Statements kept in the history of each caller (`GET /v1/history`), for at most 30 days. 0 keeps none: entries that exist stay until they are 30 days old or their caller removes them.',
    why: 'Weeks of work at a screen; some megabytes at most.',
  },

  ...sparkSettings,

  'cache.rendered_bytes_max': {
    kind: byteSize(0, bytesMax),
    default: '64MiB',
    doc: 'Memory for rendered JSON responses. 0 turns the cache off.',
    why: 'About a thousand responses of the default limit.',
  },
  'cache.rendered_entry_bytes_max': {
    kind: byteSize(0, bytesMax),
    default: '1MiB',
    doc: 'The largest rendered response that is cached.',
    why: 'One large response must not push out many small ones.',
  },

  'render.threads': {
    kind: integer(1, threadsMax),
    default: '2',
    doc: 'Worker threads that convert frames to JSON, CSV and other formats.',
    why: 'With two, one long export does not block short reads.',
  },
  'decode.threads': {
    kind: integer(1, threadsMax),
    default: '2',
    doc: 'Worker threads that check uploads, and as many processes that decode uploads other than Arrow streams; a process is kept for the next upload and uses about 100 MB. One more decodes uploads of up to 1 MiB while all of these are busy.',
    why: 'With two, one long upload does not block short ones.',
  },
  'decode.time_ms_max': {
    kind: durationMs(1_000),
    default: '30000',
    doc: 'How long a worker may decode an upload of Parquet, CSV, NDJSON or an Arrow file, or check an Arrow stream: this long, plus a second for each MiB.',
    why: 'A MiB of CSV takes about 60 ms; an upload that takes much longer was made to.',
  },
  'decode.memory_bytes_max': {
    kind: byteSize(256 * 1024 ** 2, bytesMax),
    default: '2GiB',
    doc: 'The memory of a process that decodes an upload of Parquet, CSV, NDJSON or an Arrow file. There are up to `decode.threads` of them.',
    why: 'The Parquet library may use 1.5 GiB for a row group, in addition to the result.',
  },
  'transcode.threads': {
    kind: integer(0, threadsMax),
    default: '1',
    formerly: 'settle.threads',
    doc: 'Processes that write Parquet forms in the background. 0 turns transcoding off.',
    why: 'No caller waits for it, and a process uses up to 500 MB while it works.',
  },

  'jobs.sweep_interval_ms': {
    kind: durationMs(100),
    default: '5000',
    doc: 'How often the server looks for expired frames, old versions and files to remove.',
    why: 'Each look is one indexed query. Expiry is exact without it; this only frees disk space.',
  },
  'jobs.garbage_delay_ms': {
    kind: durationMs(0),
    default: '900000',
    doc: 'How long objects that are no longer needed stay in the bucket, for reads on other nodes. Only with `storage.url`.',
    why: 'Reads that take longer renew what they read every third of it.',
  },

  'logging.level': {
    kind: logLevel(),
    default: 'info',
    flag: 'log-level',
    otherVariables: [{ name: 'RUST_LOG', translate: plainRustLevel }],
    doc: 'The lowest level to log. Of `RUST_LOG` only the plain level is used; `target=level` pairs are ignored.',
  },
  'logging.format': {
    kind: choice('json', 'text'),
    default: 'json',
    flag: 'log-format',
    doc: 'One JSON object per line, or text for people.',
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
