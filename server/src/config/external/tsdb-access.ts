import { isLoopback } from '../loopback.ts';
import { secretOf } from '../secrets.ts';
import type { SettingKey, Settings } from '../settings.ts';
import { UsageError } from '../usage-error.ts';

/** How the external database is reached. The credential is here and nowhere else: the URL has none. */
export interface TsdbAccess {
  readonly url: string;
  /** The whole header; null if the database wants none. */
  readonly authorization: string | null;
  /** Whether the credential can be read in transit. */
  readonly isExposed: boolean;
}

/** null: no database is configured. UsageError if the settings contradict each other; its text contains no secret. */
export function tsdbAccess(settings: Settings): TsdbAccess | null {
  const given = settings['tsdb.http_url'];
  if (given === undefined) return null;
  const url = new URL(given);
  const authorization = authorizationOf(settings, url);
  url.username = '';
  url.password = '';
  const isExposed = authorization !== null && url.protocol === 'http:' && !isLoopback(url.hostname);
  return { url: url.href.replace(/\/+$/, ''), authorization, isExposed };
}

function authorizationOf(settings: Settings, url: URL): string | null {
  const username = settings['tsdb.username'];
  const password = secretOf(
    settings['tsdb.password'],
    settings['tsdb.password_file'],
    'tsdb.password',
    'tsdb.password_file',
  );
  const token = secretOf(
    settings['tsdb.token'],
    settings['tsdb.token_file'],
    'tsdb.token',
    'tsdb.token_file',
  );
  const inUrl = url.username !== '' || url.password !== '';
  const ways = [
    ...(inUrl ? ['credentials in tsdb.http_url'] : []),
    ...(username === undefined && password === undefined ? [] : ['tsdb.username with a password']),
    ...(token === undefined ? [] : ['a token']),
  ];
  if (ways.length > 1)
    throw new UsageError(
      `The external database is given ${ways.join(' and ')}; one of them is allowed. framehold config shows where each comes from.`,
    );
  if (token !== undefined) return `Bearer ${token}`;
  if (inUrl) return basic(decoded(url.username), decoded(url.password), 'tsdb.http_url');
  return username === undefined && password === undefined
    ? null
    : basic(username ?? '', password ?? '', 'tsdb.username');
}

function basic(username: string, password: string, key: SettingKey): string {
  if (username === '' || password === '')
    throw new UsageError(
      `${key}: a name and a password for the external database belong together, and the ${username === '' ? 'name' : 'password'} is missing. Give both: tsdb.username, and tsdb.password or tsdb.password_file.`,
    );
  if (username.includes(':'))
    throw new UsageError(
      `${key}: the name for the external database has a colon in it, which basic authentication cannot carry.`,
    );
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UsageError(
      'tsdb.http_url: its credentials are not valid percent-encoded UTF-8. Encode a percent sign as %25, or use tsdb.username and tsdb.password.',
    );
  }
}
