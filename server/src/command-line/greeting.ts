import type { RunningServer } from '../compose/server.ts';

/** Where the listeners are bound, as URLs; `unix:/path` for sockets. */
export interface BoundUrls {
  readonly http: string;
  readonly grpc: string;
}

export function boundUrls({ http, grpc, isTls }: Pick<RunningServer, 'http' | 'grpc' | 'isTls'>): BoundUrls {
  const scheme = isTls ? 'grpc+tls' : 'grpc';
  return { http: httpUrl(http, isTls), grpc: grpc.startsWith('unix:') ? grpc : `${scheme}://${grpc}` };
}

function httpUrl(bound: RunningServer['http'], isTls: boolean): string {
  if (typeof bound === 'string') return `unix:${bound}`;
  return `${isTls ? 'https' : 'http'}://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

/** An address that one can connect to from this machine: 0.0.0.0 and [::] mean "every interface". */
export function reachable({ http, grpc }: BoundUrls): BoundUrls {
  const local = (url: string) => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  return { http: local(http), grpc: local(grpc) };
}

function openWarning({ http, grpc }: BoundUrls): string {
  return `Warning: no credentials are configured: anyone who can connect to ${http} or ${grpc} can read and change everything.`;
}

/** What a person sees after the start. */
export function greeting(bound: BoundUrls, isOpen: boolean): string {
  const socket = /^unix:(.*)$/s.exec(bound.http)?.[1];
  const hint =
    socket === undefined
      ? `  Open    ${reachable(bound).http}/ in a browser`
      : `  Try     curl --unix-socket ${socket} http://localhost/ping`;
  return [
    'Framehold is ready.',
    `  HTTP    ${bound.http}`,
    `  Flight  ${bound.grpc}`,
    hint,
    ...(isOpen ? [openWarning(bound)] : []),
    '',
  ].join('\n');
}
