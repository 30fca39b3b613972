import { isAbsolute, resolve } from 'node:path';
import { isTenant } from '../model/tenant.ts';

/** What a value may depend on besides its text. */
export interface ParseContext {
  readonly home: string | undefined;
  /** Relative paths begin here. */
  readonly directory: string;
}

/** One sort of value: how it is read from a flag, a variable or the file, and how it is written back. */
export interface Kind<T> {
  /** Completes the sentence "it must be …". */
  readonly allowed: string;
  /** The placeholder for the value in help; null for a switch, which needs none. */
  readonly placeholder: string | null;
  /** undefined if the value is not allowed. Flags and variables are strings, the file has types. */
  parse(raw: unknown, context: ParseContext): T | undefined;
  /** As one would write it in the file. */
  format(value: T): string | number | boolean;
}

export function integer(min: number, max: number): Kind<number> {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    placeholder: 'N',
    parse: (raw) => within(wholeNumber(raw), min, max),
    format: (value) => value,
  };
}

export function decimal(min: number): Kind<number> {
  return {
    allowed: `a number from ${min}`,
    placeholder: 'N',
    parse: (raw) => {
      const written = typeof raw === 'string' && /^\d{1,15}(\.\d{1,15})?$/.test(raw) ? Number(raw) : raw;
      return within(written, min, Number.MAX_SAFE_INTEGER);
    },
    format: (value) => value,
  };
}

const switchWords = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [false, false],
  ['false', false],
  ['0', false],
]);

export function boolean(): Kind<boolean> {
  return {
    allowed: 'true or false',
    placeholder: null,
    parse: (raw) => switchWords.get(raw),
    format: (value) => value,
  };
}

export function choice<const Word extends string>(...words: readonly Word[]): Kind<Word> {
  return {
    allowed: `one of ${words.join(', ')}`,
    placeholder: words.join('|'),
    parse: (raw) => words.find((word) => word === raw),
    format: (value) => value,
  };
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Levels in either case; `off` is what other tools call `silent`. */
export function logLevel(): Kind<(typeof levels)[number]> {
  return {
    allowed: `one of ${levels.join(', ')}, off`,
    placeholder: 'LEVEL',
    parse: (raw) => {
      const word = typeof raw === 'string' ? raw.toLowerCase() : raw;
      return word === 'off' ? 'silent' : levels.find((level) => level === word);
    },
    format: (value) => value,
  };
}

const byteUnits = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['tb', 1e12],
  ['kib', 1024],
  ['mib', 1024 ** 2],
  ['gib', 1024 ** 3],
  ['tib', 1024 ** 4],
]);

export function byteSize(min: number, max: number): Kind<number> {
  return {
    allowed: `a number of bytes from ${formatBytes(min)} to ${formatBytes(max)}, plain or with kB, MB, GB, TB, KiB, MiB, GiB, TiB`,
    placeholder: 'BYTES',
    parse: (raw) => within(scaled(raw, byteUnits), min, max),
    format: formatBytes,
  };
}

const timeUnits = new Map([
  ['', 1],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** A longer timer fires at once in Node: its delay is a signed 32-bit number. */
const timerMsMax = 2_147_483_647;

export function durationMs(min: number): Kind<number> {
  return {
    allowed: `milliseconds from ${min} to ${timerMsMax}, plain or with ms, s, m, h`,
    placeholder: 'MS',
    parse: (raw) => within(scaled(raw, timeUnits), min, timerMsMax),
    format: (value) => value,
  };
}

/** A line of text as it is. */
export function text(lengthMax: number): Kind<string> {
  return {
    allowed: `a text of 1 to ${lengthMax} characters on one line`,
    placeholder: 'TEXT',
    parse: (raw) =>
      typeof raw === 'string' && raw !== '' && raw.length <= lengthMax && !/\p{Cc}/u.test(raw)
        ? raw
        : undefined,
    format: (value) => value,
  };
}

/** Several texts that each match, with commas between them or as a list of the file. */
export function list(item: RegExp, what: string): Kind<readonly string[]> {
  return {
    allowed: `${what}, several with commas`,
    placeholder: 'LIST',
    parse: (raw) => {
      const words = typeof raw === 'string' ? raw.split(',').map((word) => word.trim()) : raw;
      if (!Array.isArray(words) || words.length === 0) return undefined;
      return words.every((word) => typeof word === 'string' && item.test(word)) ? words : undefined;
    },
    format: (value) => value.join(','),
  };
}

/** An absolute path out of what was written. */
export function path(): Kind<string> {
  return {
    allowed: 'a path; a leading ~/ is the home directory (HOME)',
    placeholder: 'PATH',
    parse: (raw, { home, directory }) => {
      if (typeof raw !== 'string' || raw === '' || raw.includes('\0')) return undefined;
      if (!raw.startsWith('~')) return resolve(directory, raw);
      if (home === undefined || !isAbsolute(home) || (raw !== '~' && !raw.startsWith('~/'))) return undefined;
      return resolve(home, raw.slice(2));
    },
    format: (value) => value,
  };
}

/** A token as it appears in a header: letters, digits and signs, nothing that needs to be encoded. */
export function token(lengthMax: number): Kind<string> {
  return {
    allowed: `1 to ${lengthMax} letters, digits or signs of ASCII, without spaces`,
    placeholder: 'TOKEN',
    parse: (raw) =>
      typeof raw === 'string' && raw.length <= lengthMax && /^[!-~]+$/.test(raw) ? raw : undefined,
    format: (value) => value,
  };
}

export interface UrlRule {
  readonly schemes: readonly string[];
  readonly credentials: boolean;
}

/** A base URL, kept as it was written except for trailing slashes. */
export function baseUrl({ schemes, credentials }: UrlRule): Kind<string> {
  return {
    allowed: `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}, without ${credentials ? '' : 'credentials, '}query or fragment`,
    placeholder: 'URL',
    parse: (raw) => {
      if (typeof raw !== 'string' || /[\s?#]/.test(raw) || !URL.canParse(raw)) return undefined;
      const url = new URL(raw);
      const hasCredentials = url.username !== '' || url.password !== '';
      if (!schemes.includes(url.protocol.slice(0, -1)) || !raw.includes('://') || url.hostname === '')
        return undefined;
      return hasCredentials && !credentials ? undefined : raw.replace(/\/+$/, '');
    },
    format: (value) => value,
  };
}

/** As PostgreSQL's own clients take it, options such as `sslmode` in the query included. */
export function databaseUrl(): Kind<string> {
  return {
    allowed: 'a URL such as postgres://user@host:5432/database',
    placeholder: 'URL',
    parse: (raw) => {
      if (typeof raw !== 'string' || /[\s#]/.test(raw) || !URL.canParse(raw)) return undefined;
      const { protocol, hostname, pathname } = new URL(raw);
      const isPostgres = protocol === 'postgres:' || protocol === 'postgresql:';
      return isPostgres && hostname !== '' && pathname.length > 1 ? raw : undefined;
    },
    format: (value) => value,
  };
}

/** `s3://bucket/prefix`; the prefix may be missing, and ends without a slash. */
export function bucketUrl(): Kind<string> {
  return {
    allowed:
      'a URL such as s3://bucket or s3://bucket/prefix, with lower-case letters, digits, dots and hyphens in the name of the bucket',
    placeholder: 'URL',
    parse: (raw) => {
      if (typeof raw !== 'string') return undefined;
      const [, bucket, prefix] =
        /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w!.*'()-]+)*)\/?$/.exec(raw) ?? [];
      return bucket === undefined ? undefined : `s3://${bucket}${prefix}`;
    },
    format: (value) => value,
  };
}

const sparkUrlPattern =
  /^sc:\/\/((?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?)(?:\/(?:;use_ssl=(?:true|false)|;x-[a-z0-9-]+=[^\s;,]+)*)?$/;

/**
 * `sc://host:port`, with `/;use_ssl=true` for TLS and `;x-name=value` for headers that managed services want. Other parameters that Spark's own
 * clients take are settings here, or follow from the request.
 */
export function sparkUrl(): Kind<string> {
  return {
    allowed: 'a URL such as sc://host:15002, or sc://host:15002/;use_ssl=true;x-name=value, without a token',
    placeholder: 'URL',
    parse: (raw) => {
      if (typeof raw !== 'string') return undefined;
      const [, authority] = sparkUrlPattern.exec(raw) ?? [];
      return authority !== undefined && URL.canParse(`http://${authority}`)
        ? raw.replace(/\/$/, '')
        : undefined;
    },
    format: (value) => value,
  };
}

/** A value for each of several tenants: a table of the file, or `acme=value` with commas between them. */
export function byTenant(item: Kind<string>): Kind<ReadonlyMap<string, string>> {
  return {
    allowed: `names of tenants, each with = and ${item.allowed}, several with commas`,
    placeholder: `TENANT=${item.placeholder},…`,
    parse: (raw, context) => {
      const entries = typeof raw === 'string' ? raw.split(',').map(tenantEntry) : tableEntries(raw);
      const values = entries?.map(([tenant, value]) => [tenant, item.parse(value, context)] as const) ?? [];
      const found = new Map<string, string>();
      for (const [tenant, value] of values)
        if (isTenant(tenant) && value !== undefined) found.set(tenant, value);
      return found.size > 0 && found.size === values.length ? found : undefined;
    },
    format: (value) => [...value].map(([tenant, each]) => `${tenant}=${item.format(each)}`).join(','),
  };
}

function tenantEntry(written: string): [tenant: string, value: string] {
  const at = written.indexOf('=');
  return [written.slice(0, Math.max(at, 0)).trim(), written.slice(at + 1).trim()];
}

function tableEntries(raw: unknown): [tenant: string, value: unknown][] | undefined {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? Object.entries(raw) : undefined;
}

function within(value: unknown, min: number, max: number): number | undefined {
  return typeof value === 'number' && value >= min && value <= max ? value : undefined;
}

function wholeNumber(raw: unknown): number | undefined {
  if (typeof raw === 'string') return /^\d{1,15}$/.test(raw) ? Number(raw) : undefined;
  return Number.isSafeInteger(raw) ? (raw as number) : undefined;
}

/** `64MiB` as a number; whole numbers only, so that nothing is rounded silently. */
function scaled(raw: unknown, units: ReadonlyMap<string, number>): number | undefined {
  if (typeof raw !== 'string') return wholeNumber(raw);
  const [, digits = '', unit = ''] = /^(\d{1,15}) ?([A-Za-z]*)$/.exec(raw) ?? [];
  const scale = units.get(unit.toLowerCase());
  const value = Number(digits) * (scale ?? Number.NaN);
  return digits !== '' && Number.isSafeInteger(value) ? value : undefined;
}

function formatBytes(value: number): string | number {
  for (const unit of ['TiB', 'GiB', 'MiB', 'KiB']) {
    const scale = byteUnits.get(unit.toLowerCase()) ?? 1;
    if (value > 0 && value % scale === 0) return `${value / scale}${unit}`;
  }
  return value;
}
