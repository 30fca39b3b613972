/** A setting of a session, as SHOW and SET know it. */
export interface SettingRule {
  /** As PostgreSQL writes it. */
  readonly name: string;
  readonly initial: string;
  /** Clients get its value at the start, and again whenever it changes. */
  readonly isReported?: true;
  /** The value as it is kept; null if it is none that this server has. Absent: any text. */
  readonly read?: (value: string) => string | null;
  /** The value as SHOW writes it, if that is another text. */
  readonly show?: (kept: string) => string;
  /** No statement can change it. */
  readonly isFixed?: true;
}

/** Catalogs and clients choose their questions by it: they are those of this version. */
export const serverVersion = '15.18';

const only =
  (...allowed: readonly string[]) =>
  (value: string): string | null =>
    allowed.find((each) => each.toLowerCase() === value.toLowerCase()) ?? null;

const truths: Readonly<Record<string, string>> = {
  true: 'on',
  yes: 'on',
  1: 'on',
  false: 'off',
  no: 'off',
  0: 'off',
};

function onOrOff(value: string): string | null {
  const lower = value.toLowerCase();
  return lower === 'on' || lower === 'off' ? lower : (truths[lower] ?? null);
}

const alwaysOn = (value: string): string | null => (onOrOff(value) === 'on' ? 'on' : null);

function encoding(value: string): string | null {
  const plain = value.replaceAll("'", '').replaceAll('-', '').replaceAll('_', '').toUpperCase();
  return plain === 'UTF8' || plain === 'UNICODE' ? 'UTF8' : null;
}

/** Only ISO is written; the order of day and month is that of what is read, and stands for nothing here. */
function dateStyle(value: string): string | null {
  const words = value
    .toUpperCase()
    .split(',', 3)
    .map((word) => word.trim());
  const orders = words.filter((word) => word !== 'ISO');
  if (orders.length > 1 || words.length > 2) return null;
  const [order = 'MDY'] = orders;
  const name = { MDY: 'MDY', US: 'MDY', DMY: 'DMY', EUROPEAN: 'DMY', YMD: 'YMD' }[order];
  return name === undefined ? null : `ISO, ${name}`;
}

/** A name of the time zone database, or an offset. `GMT+02:00` means west of Greenwich, as in POSIX. */
function timeZone(value: string): string | null {
  const text = value.trim();
  if (text === '' || text.length > 64) return null;
  const [, sign, hours = '', minutes = '00'] = /^(?:GMT|UTC)?([+-])(\d{1,2})(?::(\d{2}))?$/i.exec(text) ?? [];
  const isNamed = sign === undefined;
  const isPosix = !isNamed && !text.startsWith('+') && !text.startsWith('-');
  const east = isPosix ? (sign === '-' ? '+' : '-') : sign;
  const zone = isNamed ? text : `${east}${hours.padStart(2, '0')}:${minutes}`;
  try {
    const { timeZone: known } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    // The name as it was given: `UTC` and `Etc/UTC` are the same zone.
    return isNamed ? text : known;
  } catch {
    return null;
  }
}

const unitMs: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** What PostgreSQL's whole numbers hold. */
const durationMsMax = 2 ** 31 - 1;

/** Milliseconds: `5000`, `5s`, `1min`. */
function duration(value: string): string | null {
  if (value.length > 32) return null;
  const [, digits, unit = 'ms'] = /^ *(\d{1,10}) *([a-z]{1,3})? *$/.exec(value.toLowerCase()) ?? [];
  const factor = unitMs[unit];
  if (digits === undefined || factor === undefined) return null;
  const ms = Math.round(Number(digits) * factor);
  return ms <= durationMsMax ? String(ms) : null;
}

/** With the largest unit of which it is a whole number, as PostgreSQL shows it. */
function shownDuration(ms: string): string {
  const units = Object.entries(unitMs).reverse();
  const [unit, factor] = units.find(([, each]) => Number(ms) % each === 0) ?? ['ms', 1];
  return ms === '0' ? ms : `${Number(ms) / factor}${unit}`;
}

const isolation = only('read committed', 'repeatable read', 'serializable', 'read uncommitted');

/** Settings that change something here, or that clients rely on. */
const own: readonly SettingRule[] = [
  { name: 'application_name', initial: '', isReported: true },
  { name: 'client_encoding', initial: 'UTF8', isReported: true, read: encoding },
  { name: 'DateStyle', initial: 'ISO, MDY', isReported: true, read: dateStyle },
  { name: 'default_transaction_read_only', initial: 'on', isReported: true, read: onOrOff },
  { name: 'in_hot_standby', initial: 'off', isReported: true, isFixed: true },
  { name: 'integer_datetimes', initial: 'on', isReported: true, isFixed: true },
  { name: 'IntervalStyle', initial: 'postgres', isReported: true, read: only('postgres') },
  { name: 'is_superuser', initial: 'off', isReported: true, isFixed: true },
  { name: 'server_encoding', initial: 'UTF8', isReported: true, isFixed: true },
  { name: 'server_version', initial: serverVersion, isReported: true, isFixed: true },
  { name: 'session_authorization', initial: '', isReported: true, isFixed: true },
  { name: 'standard_conforming_strings', initial: 'on', isReported: true, read: alwaysOn },
  { name: 'TimeZone', initial: 'UTC', isReported: true, read: timeZone },
  { name: 'bytea_output', initial: 'hex', read: only('hex') },
  { name: 'server_version_num', initial: '150018', isFixed: true },
  { name: 'max_identifier_length', initial: '128', isFixed: true },
  { name: 'default_transaction_isolation', initial: 'read committed', read: isolation },
  { name: 'transaction_isolation', initial: 'read committed', read: isolation },
  { name: 'transaction_read_only', initial: 'on', read: onOrOff },
  { name: 'transaction_deferrable', initial: 'off', read: onOrOff },
  { name: 'default_transaction_deferrable', initial: 'off', read: onOrOff },
  { name: 'statement_timeout', initial: '0', read: duration, show: shownDuration },
  { name: 'idle_in_transaction_session_timeout', initial: '0', read: duration, show: shownDuration },
  { name: 'idle_session_timeout', initial: '0', read: duration, show: shownDuration },
  { name: 'lock_timeout', initial: '0', read: duration, show: shownDuration },
  { name: 'extra_float_digits', initial: '1' },
  { name: 'search_path', initial: '"$user", public' },
];

/** Settings that tools set and that mean nothing here: they are kept as they are given. */
const others: Readonly<Record<string, string>> = {
  array_nulls: 'on',
  backslash_quote: 'safe_encoding',
  block_size: '8192',
  check_function_bodies: 'on',
  client_min_messages: 'notice',
  data_checksums: 'off',
  default_statistics_target: '100',
  default_tablespace: '',
  default_text_search_config: 'pg_catalog.simple',
  effective_cache_size: '4GB',
  enable_hashjoin: 'on',
  enable_indexscan: 'on',
  enable_mergejoin: 'on',
  enable_nestloop: 'on',
  enable_seqscan: 'on',
  escape_string_warning: 'on',
  geqo: 'on',
  gin_fuzzy_search_limit: '0',
  jit: 'off',
  lc_collate: 'C',
  lc_ctype: 'C',
  lc_messages: 'C',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  maintenance_work_mem: '64MB',
  max_parallel_workers_per_gather: '0',
  password_encryption: 'scram-sha-256',
  plan_cache_mode: 'auto',
  quote_all_identifiers: 'off',
  random_page_cost: '4',
  row_security: 'on',
  session_replication_role: 'origin',
  synchronize_seqscans: 'on',
  synchronous_commit: 'on',
  temp_buffers: '8MB',
  temp_tablespaces: '',
  vacuum_cost_delay: '0',
  wal_level: 'replica',
  work_mem: '4MB',
  xmlbinary: 'base64',
  xmloption: 'content',
};

/** By name in lower case. */
export const settingRules: ReadonlyMap<string, SettingRule> = new Map(
  [...own, ...Object.entries(others).map(([name, initial]) => ({ name, initial }))]
    .sort((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1))
    .map((rule) => [rule.name.toLowerCase(), rule]),
);
