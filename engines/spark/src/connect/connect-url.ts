import { isIP } from 'node:net';
import { FrameholdError } from '../../../../server/src/model/errors.ts';

/** Where Spark Connect listens, out of `sc://host:port/;use_ssl=true`. */
export interface ConnectAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Sent with every call. Managed services find the cluster by them. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Spark's own default. */
const portDefault = 15002;

/** Keys that other clients take, and what to do here. */
const refusedKeys: Readonly<Record<string, string>> = {
  token: 'Set spark.token or spark.token_file, so that the token is not shown with the URL.',
  user_id: 'Leave it out: each statement has a user of its own.',
  session_id: 'Leave it out: each statement has a session of its own.',
};

/** bad_request with a sentence if it is not such a URL. */
export function parseConnectUrl(text: string): ConnectAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'sc:' || url.hostname === '')
    throw wrong('is not a URL of the form sc://host:port');
  if (url.username !== '' || url.password !== '') throw wrong('contains a user name or a password');
  if (url.search !== '' || url.hash !== '') throw wrong('contains a ? or a #');
  const [path, ...pairs] = url.pathname.split(';');
  if (path !== '' && path !== '/') throw wrong(`has the path ${JSON.stringify(path)}; only / is allowed`);
  let tls = false;
  const headers = new Map<string, string>();
  for (const pair of pairs.filter((pair) => pair !== '')) {
    const [key, value] = keyAndValue(pair);
    if (key === 'use_ssl') tls = flag(key, value);
    else if (key.startsWith('x-')) headers.set(headerName(key), headerValue(key, value));
    else throw wrong(`has the key ${JSON.stringify(key)}, which is not known`, refusedKeys[key]);
  }
  const port = url.port === '' ? portDefault : Number(url.port);
  // Brackets belong to the URL, not to the address.
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, tls, headers };
}

/** As grpc-js and people write it. */
export function addressText({ host, port }: ConnectAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

function keyAndValue(pair: string): readonly [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw wrong(`has ${JSON.stringify(pair)}, which is not of the form key=value`);
  try {
    return [pair.slice(0, at).toLowerCase(), decodeURIComponent(pair.slice(at + 1))];
  } catch {
    throw wrong(`has the key ${JSON.stringify(pair.slice(0, at))}, whose value is not percent-encoded`);
  }
}

function flag(key: string, value: string): boolean {
  if (value !== 'true' && value !== 'false') throw wrong(`has ${key}=${value}; use true or false`);
  return value === 'true';
}

/** The names that gRPC allows. Those that end with -bin would have to be base64. */
function headerName(key: string): string {
  if (/^[0-9a-z_.-]+$/.test(key) && !key.endsWith('-bin')) return key;
  throw wrong(`has the key ${JSON.stringify(key)}, which cannot be the name of a header`);
}

function headerValue(key: string, value: string): string {
  if (/^[ -~]+$/.test(value)) return value;
  throw wrong(`has the key ${key}, whose value cannot be sent in a header`);
}

function wrong(
  what: string,
  hint = 'Write it as sc://host:15002 or sc://host:443/;use_ssl=true.',
): FrameholdError {
  return new FrameholdError('bad_request', `The URL of Spark Connect ${what}.`, { hint });
}
