import { byTenant, durationMs, integer, path, sparkUrl, token } from './kind.ts';
import type { Setting } from './setting.ts';

/** Any signed token is shorter, and fits into the headers that a gRPC server accepts. */
const tokenLengthMax = 4_096;

/** Settings of distributed SQL. Without a URL nothing of Spark is loaded. */
export const sparkSettings = {
  'spark.url': {
    kind: sparkUrl(),
    secret: 'credentials',
    doc: 'A Spark Connect server (Spark 4.2) for statements that name the engine `spark`, for all tenants without one of their own. Tenants who distrust each other need one each: see `spark.tenant_urls`. Unset: only those tenants can use Spark.',
  },
  'spark.tenant_urls': {
    kind: byTenant(sparkUrl()),
    secret: 'credentials',
    doc: 'Spark Connect servers of single tenants, instead of `spark.url`: in the file a table, `[spark.tenant_urls]` with lines such as `acme = "sc://10.0.0.7:15002"`; elsewhere `acme=sc://10.0.0.7:15002,other=sc://…`.',
  },
  'spark.token': {
    kind: token(tokenLengthMax),
    secret: 'whole',
    doc: 'A token sent to the server of `spark.url` as `Authorization: Bearer`, and to no other. Requires `use_ssl=true` in the URL, unless the server is on this machine. Never shown. Do not use the flag: it is visible in the process list.',
  },
  'spark.token_file': {
    kind: path(),
    doc: 'A file with the token, instead of `spark.token`. It is read at start; one line break at its end is ignored.',
  },
  'spark.tenant_token_files': {
    kind: byTenant(path()),
    doc: 'Files with the tokens for the servers in `spark.tenant_urls`, written in the same way. They are read at start.',
  },
  'spark.ca_file': {
    kind: path(),
    doc: "The authority of Spark's certificates, as PEM, for URLs with `use_ssl=true`. Unset: those that Node knows.",
  },
  'spark.statements_max': {
    kind: integer(1, 1_000),
    default: '2',
    doc: 'Statements that run at once on each Spark Connect server, from this node.',
    why: 'Each may use all executors; more at once make each slower and share the memory of one driver.',
  },
  'spark.queue_max': {
    kind: integer(0, 100_000),
    default: '50',
    doc: 'Statements that may wait for each Spark Connect server; further ones are rejected (503).',
    why: 'Statements take minutes: a longer queue would only end in timeouts.',
  },
  'spark.queue_wait_ms': {
    kind: durationMs(1),
    default: '600000',
    doc: 'How long a statement may wait for its turn.',
    why: 'Ten minutes: about as long as the statements before it take.',
  },
  'spark.timeout_ms': {
    kind: durationMs(1),
    default: '1800000',
    doc: 'How long a statement may run on Spark. Time spent waiting for its reader does not count.',
    why: 'Half an hour is enough for joins of some hundred gigabytes, and stops what was forgotten.',
  },
  'spark.attempts_path': {
    kind: path(),
    doc: 'Directory in which the workers of Spark write results that become frames. Framehold and all workers need it under the same path, and may write to it. Not with `storage.url`, where they write below `_attempts/` in the bucket. Unset: `attempts` in the data directory.',
  },
} as const satisfies Record<string, Setting>;
