import type { RunningServer } from '../compose/server.ts';
import { isLoopback } from '../config/loopback.ts';

/** Where the listeners are bound, as URLs; `unix:/path` for sockets. */
export interface BoundUrls {
  readonly http: string;
  readonly grpc: string;
  /** Absent: there is no listener for PostgreSQL. */
  readonly postgres?: string;
}

export function boundUrls({
  http,
  grpc,
  postgres,
  isTls,
}: Pick<RunningServer, 'http' | 'grpc' | 'postgres' | 'isTls'>): BoundUrls {
  return {
    http: httpUrl(http, isTls),
    grpc: urlOf(isTls ? 'grpc+tls' : 'grpc', grpc),
    ...(postgres === null ? {} : { postgres: urlOf('postgresql', postgres) }),
  };
}

function urlOf(scheme: string, bound: string): string {
  return bound.startsWith('unix:') ? bound : `${scheme}://${bound}`;
}

function httpUrl(bound: RunningServer['http'], isTls: boolean): string {
  if (typeof bound === 'string') return `unix:${bound}`;
  return `${isTls ? 'https' : 'http'}://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

/** An address that one can connect to from this machine: 0.0.0.0 and [::] mean "every interface". */
export function reachable({ http, grpc, postgres }: BoundUrls): BoundUrls {
  const local = (url: string) => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  return {
    http: local(http),
    grpc: local(grpc),
    ...(postgres === undefined ? {} : { postgres: local(postgres) }),
  };
}

/** Whether other machines can connect. Sockets of the file system are of this one. */
export function isBeyondLoopback({ http, grpc, postgres = 'unix:' }: BoundUrls): boolean {
  return [http, grpc, postgres].some((url) => !url.startsWith('unix:') && !isLoopback(new URL(url).hostname));
}

const noCredentials = 'Warning: no credentials are configured:';

function consequence({ http, grpc, postgres }: BoundUrls): string {
  const alsoReads = postgres === undefined ? '' : `, and over ${postgres} read everything`;
  return `anyone who can connect to ${http} or ${grpc} can read and change everything${alsoReads}.`;
}

export function openWarning(bound: BoundUrls): string {
  return `${noCredentials} ${consequence(bound)}`;
}

/** In a box if other machines can connect: it must not be overlooked between other lines. */
function openNotice(bound: BoundUrls, closeCommand: string): readonly string[] {
  if (!isBeyondLoopback(bound)) return [openWarning(bound)];
  const lines = [
    noCredentials,
    consequence(bound),
    `To close it:         ${closeCommand}`,
    'For yourself alone:  --http-bind-address 127.0.0.1:9000 --grpc-host 127.0.0.1',
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const edge = '─'.repeat(width + 2);
  return [`┌${edge}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${edge}┘`];
}

/** The first token of a server, which is not shown again: for standard output, and in no line of the log. */
export function firstTokenNotice(token: string): string {
  return [
    'The first token was created: scope admin, tenant default, valid for 90 days. It is shown only now:',
    `  ${token}`,
    '  Make others with framehold token create, then revoke this one with framehold token revoke.',
    '',
  ].join('\n');
}

interface GreetingDetails {
  /** Where probes are answered as well; null if nowhere else. */
  readonly management: string | null;
  /** What closes an open server; null if it is not open. */
  readonly closeCommand: string | null;
}

/** What a person sees after the start. */
export function greeting(bound: BoundUrls, { management, closeCommand }: GreetingDetails): string {
  const socket = /^unix:(.*)$/s.exec(bound.http)?.[1];
  const hint =
    socket === undefined
      ? `  Open    ${reachable(bound).http}/ in a browser`
      : `  Try     curl --unix-socket ${socket} http://localhost/ping`;
  return [
    'Framehold is ready.',
    `  HTTP    ${bound.http}`,
    `  Flight  ${bound.grpc}`,
    ...(bound.postgres === undefined ? [] : [`  SQL     ${bound.postgres}`]),
    ...(management === null ? [] : [`  Probes  ${management}`]),
    hint,
    ...(closeCommand === null ? [] : openNotice(bound, closeCommand)),
    '',
  ].join('\n');
}
