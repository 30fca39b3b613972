import { isIP, isIPv6 } from 'node:net';
import type { Kind } from './kind.ts';

/** Where a listener binds: a host and port, or a unix socket. */
export type Address = { readonly host: string; readonly port: number } | { readonly path: string };

const hostName = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

export function bindAddress(): Kind<Address> {
  return {
    allowed: 'host:port, [IPv6 address]:port or unix:/path',
    placeholder: 'ADDRESS',
    parse: (raw) => (typeof raw === 'string' ? parseAddress(raw) : undefined),
    format: formatAddress,
  };
}

/** The host part alone, or a unix socket; brackets around an IPv6 address are taken off. */
export function bindHost(): Kind<string> {
  return {
    allowed: 'a host name, an IP address or unix:/path',
    placeholder: 'HOST',
    parse: (raw) => {
      if (typeof raw !== 'string') return undefined;
      return socketPath(raw) === undefined ? parseHost(raw) : raw;
    },
    format: (value) => value,
  };
}

function parseAddress(raw: string): Address | undefined {
  const path = socketPath(raw);
  if (path !== undefined) return { path };
  const colon = raw.lastIndexOf(':');
  const digits = raw.slice(colon + 1);
  const host = raw.slice(0, Math.max(colon, 0));
  // An IPv6 address needs its brackets here: `::1:9000` could be read in two ways.
  if (!/^\d{1,5}$/.test(digits) || Number(digits) > 65_535 || isIPv6(host)) return undefined;
  const parsed = parseHost(host);
  return parsed === undefined ? undefined : { host: parsed, port: Number(digits) };
}

export function formatAddress(address: Address): string {
  if ('path' in address) return `unix:${address.path}`;
  return isIPv6(address.host) ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`;
}

function parseHost(raw: string): string | undefined {
  const inner = /^\[(.*)\]$/.exec(raw)?.[1];
  if (inner !== undefined) return isIPv6(inner) ? inner : undefined;
  if (isIP(raw) !== 0) return raw;
  // Only digits and dots, but not an IP address: a typing error, not a name.
  return hostName.test(raw) && !/^[\d.]+$/.test(raw) ? raw : undefined;
}

/** 107 bytes: what Linux has room for in a socket's address; macOS has 103. */
function socketPath(raw: string): string | undefined {
  const path = /^unix:(\/[^\0]+)$/.exec(raw)?.[1];
  return path !== undefined && Buffer.byteLength(path) <= 107 ? path : undefined;
}
