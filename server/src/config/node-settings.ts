import { baseUrl, boolean, bucketUrl, choice, databaseUrl, durationMs, integer, path, text } from './kind.ts';
import type { Setting } from './setting.ts';

/** Settings of servers that share a catalog in PostgreSQL and objects in S3. A server without them has both in its data directory. */
export const nodeSettings = {
  'catalog.url': {
    kind: databaseUrl(),
    secret: 'credentials',
    doc: 'A PostgreSQL database (version 15 or later) for the catalog and the credentials, instead of files in the data directory. Such a server always requires credentials. Tables are created at the first start.',
  },
  'catalog.password_file': {
    kind: path(),
    doc: 'File with the password for PostgreSQL, read for every new connection. Takes the place of a password in `catalog.url`.',
  },
  'catalog.ca_file': {
    kind: path(),
    doc: "The authority of PostgreSQL's certificate, as PEM. Connections then require TLS and a valid certificate.",
  },
  'catalog.connections_max': {
    kind: integer(2, 1_000),
    default: '16',
    doc: 'Connections to PostgreSQL.',
    why: 'A connection makes some hundred changes per second. Ten nodes use 160 connections: raise `max_connections` of PostgreSQL accordingly.',
  },
  'catalog.timeout_ms': {
    kind: durationMs(100),
    default: '5000',
    doc: 'How long a statement, or a connection to PostgreSQL, may take. After that callers get 503.',
    why: 'Look-ups take a millisecond. Long enough for a failover that keeps the address.',
  },
  'node.id': {
    kind: text(128),
    doc: 'The name of this node among those that share a catalog. Unset: the name of the host and a random suffix, new at every start.',
  },
  'node.advertised_url': {
    kind: baseUrl({ schemes: ['grpc', 'grpc+tcp', 'grpc+tls'], credentials: false }),
    doc: 'Where Flight clients reach this node directly. Answers of GetFlightInfo then name the node that has a frame at hand; without it they name none.',
  },
} as const satisfies Record<string, Setting>;

/** Where the objects of such servers are. */
export const bucketSettings = {
  'storage.url': {
    kind: bucketUrl(),
    doc: 'A bucket in S3 or a compatible store for all objects, instead of the data directory. Requires `catalog.url`. Any number of servers can share both.',
  },
  'storage.s3_endpoint': {
    kind: baseUrl({ schemes: ['https', 'http'], credentials: false }),
    doc: 'The address of a compatible store. Unset: AWS.',
  },
  'storage.s3_region': {
    kind: text(64),
    doc: 'The region of the bucket. Unset: as the environment or the configuration files of AWS say; stores at `storage.s3_endpoint` mostly need none.',
  },
  'storage.s3_path_style': {
    kind: boolean(),
    doc: 'Put the bucket into the path instead of the host name. Unset: only with `storage.s3_endpoint`.',
  },
  'storage.s3_ca_file': {
    kind: path(),
    doc: "The authority of the store's certificate, as PEM, if it is not a public one.",
  },
  'storage.s3_access_key_file': {
    kind: path(),
    doc: 'File with the access key. Requires `storage.s3_secret_key_file`. Unset: the standard AWS chain (environment, shared files, roles of containers and instances).',
  },
  'storage.s3_secret_key_file': {
    kind: path(),
    doc: 'File with the secret key.',
  },
  'storage.s3_encryption': {
    kind: choice('none', 'AES256', 'aws:kms'),
    default: 'none',
    doc: 'The server-side encryption that is requested for every object.',
    why: 'AWS encrypts every object anyway; some compatible stores refuse the request.',
  },
  'storage.s3_kms_key': {
    kind: text(2_048),
    doc: 'The key for `aws:kms`. Unset: the default key of the bucket.',
  },
  'storage.s3_requests_max': {
    kind: integer(1, 10_000),
    default: '64',
    doc: 'Requests to the store at the same time.',
    why: 'Enough to use a fast network with parts of 8 MiB.',
  },
} as const satisfies Record<string, Setting>;
