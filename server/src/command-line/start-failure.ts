import { formatAddress } from '../config/address.ts';
import type { Settings } from '../config/settings.ts';
import { FrameholdError } from '../model/errors.ts';

/** What went wrong at the start, and what to do, in one line; null if nobody foresaw it. */
export function describeStartFailure(error: unknown, settings: Settings): string | null {
  // An error with a hint was expected.
  if (error instanceof FrameholdError && (error.kind !== 'internal' || error.hint !== undefined)) {
    const hint = error.hint === undefined ? '' : ` ${error.hint}`;
    return `${error.message}${hint}`.replaceAll(/\s*\n\s*/g, ' ');
  }
  if (!(error instanceof Error)) return null;
  return describeBinding(error, settings) ?? describePath(error) ?? describeDatabase(error, settings);
}

/** Node's errors and those of grpc-js, which only has a message, both say `listen CODE: … place`. */
function describeBinding(error: Error, settings: Settings): string | null {
  const { hostname } = error as { hostname?: string };
  const unknownHost =
    hostname ?? /^Name resolution failed for target (?:\w+:)?(.+):\d+$/.exec(error.message)?.[1];
  if (unknownHost !== undefined)
    return `The host ${unknownHost} is not known: choose another with --http-bind-address or --grpc-host.`;
  const [, code, place = ''] = /\blisten (E[A-Z]+): .* (\S+?)\]?$/.exec(error.message) ?? [];
  const flag = flagFor(place, settings);
  switch (code) {
    case 'EADDRINUSE':
      return `The address ${place} is in use: stop the program that has it, or choose another with ${flag}.`;
    case 'EADDRNOTAVAIL':
      return `The address ${place} is not one of this machine: choose another with ${flag}.`;
    case 'EACCES':
      return place.startsWith('/')
        ? `The socket ${place} cannot be made: its directory must exist and be writable, or choose another with ${flag}.`
        : `The address ${place} may not be bound by this user: choose a port from 1024 with ${flag}.`;
    default:
      return null;
  }
}

/** Names may have been resolved by now, so only the port or the socket shows whose address it is. */
function flagFor(place: string, settings: Settings): string {
  const management = settings['server.management_address'];
  if (
    management !== undefined &&
    place === ('path' in management ? management.path : formatAddress(management))
  )
    return '--management-address';
  const postgres = settings['postgres.bind_address'];
  if (postgres !== undefined && place === ('path' in postgres ? postgres.path : formatAddress(postgres)))
    return '--postgres-bind-address';
  const http = settings['http.bind_address'];
  const grpcHost = settings['server.grpc_host'];
  const isHttp = 'path' in http ? place === http.path : place.endsWith(`:${http.port}`);
  const isGrpc = `unix:${place}` === grpcHost || place.endsWith(`:${settings['server.grpc_port']}`);
  if (isHttp === isGrpc) return '--http-bind-address or --grpc-port';
  if (isHttp) return '--http-bind-address';
  return grpcHost.startsWith('unix:') ? '--grpc-host' : '--grpc-port or --grpc-host';
}

function describePath(error: NodeJS.ErrnoException): string | null {
  if (error.path === undefined) return null;
  switch (error.code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `${error.path} cannot be written (${error.code}): give this user the right to, or choose another place.`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `${error.path} is not a directory (${error.code}): move what is there away, or choose another place.`;
    case 'ENOENT':
      return `${error.path} does not exist (${error.code}): make its directory, or choose another place.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `There is no room left for ${error.path} (${error.code}): make room, or choose another place.`;
    default:
      return null;
  }
}

/** SQLite's numbers for "cannot open" and "read-only": its files are the first that are written into the data directory. */
const unwritableDatabase = new Set([14, 8]);

function describeDatabase(error: Error, settings: Settings): string | null {
  const { code, errcode } = error as { code?: string; errcode?: number };
  if (code !== 'ERR_SQLITE_ERROR' || errcode === undefined || !unwritableDatabase.has(errcode & 0xff))
    return null;
  return `The data directory ${settings['storage.data_dir']} cannot be written: give this user the right to, or choose another with --data-dir.`;
}
