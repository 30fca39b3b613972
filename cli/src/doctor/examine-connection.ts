import { FrameholdError, type Status } from '../../../client/src/index.ts';
import type { Finding } from '../command.ts';
import type { ChosenServer } from '../connection/choose-server.ts';
import { connect } from '../connection/connect.ts';
import { explainNetwork, withoutBrackets } from '../connection/explain-network.ts';
import { httpFetch } from '../connection/http-fetch.ts';

/** For each request: a server that takes longer is not healthy. */
const waitMs = 10_000;
/** The header has whole seconds, and the answer takes its time. */
const clockToleranceMs = 5_000;
const dayMs = 86_400_000;
const expiresSoonMs = 14 * dayMs;

/** Step by step from this machine to a signed-in caller. The first step that fails ends it: the rest would fail for the same reason. */
export async function examineConnection(server: ChosenServer, version: string): Promise<readonly Finding[]> {
  const findings: Finding[] = [
    { check: 'address', state: 'ok', detail: `${server.url} (${server.urlFrom})` },
  ];
  const url = new URL(server.url);
  const client = await connect(server);
  if (url.protocol === 'https:') {
    const tls = await examineTls(url);
    findings.push(tls);
  }
  const ping = await examinePing(client.url);
  findings.push(...ping);
  if (ping.some(({ state }) => state === 'problem')) return findings;
  try {
    const status = await client.status({ signal: AbortSignal.timeout(waitMs) });
    findings.push(...examineStatus(status, server, version));
  } catch (error) {
    findings.push(tokenFinding(error, server));
  }
  return findings;
}

async function examinePing(base: string): Promise<readonly Finding[]> {
  const sentAt = Date.now();
  let answer: Response;
  try {
    answer = await httpFetch(new URL('ping', base), { signal: AbortSignal.timeout(waitMs) });
  } catch (cause) {
    const error = new FrameholdError({
      code: 'network',
      status: 0,
      title: '',
      detail: `There is no answer from ${base}.`,
      cause,
    });
    const { detail, hint } = await explainNetwork(error, base);
    return [
      {
        check: 'connection',
        state: 'problem',
        detail,
        remedy: `${hint} framehold doctor --server looks at the server of this machine.`,
      },
    ];
  }
  const tookMs = Date.now() - sentAt;
  const text = await answer.text().catch(() => '');
  if (text !== 'ok')
    return [
      {
        check: 'connection',
        state: 'problem',
        detail: `What answers there is not a Framehold server (status ${answer.status}).`,
        remedy: 'Use the port of HTTP (default 9000), and the path that a proxy puts before it.',
      },
    ];
  return [
    { check: 'connection', state: 'ok', detail: `answers in ${tookMs} ms` },
    clockFinding(answer.headers.get('date'), sentAt + tookMs / 2),
  ];
}

/** By the Date header of an answer. */
export function clockFinding(date: string | null, now: number): Finding {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs))
    return { check: 'clock', state: 'skipped', detail: 'the server did not say its time' };
  const aheadMs = now - theirs;
  if (Math.abs(aheadMs) <= clockToleranceMs)
    return { check: 'clock', state: 'ok', detail: 'agrees with the server' };
  return {
    check: 'clock',
    state: 'problem',
    detail: `The clock of this machine is ${Math.abs(aheadMs / 1_000).toFixed()} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the server.`,
    remedy: 'Set the one that is wrong, and keep it right with NTP: tokens and links expire by the clock.',
  };
}

async function examineTls({ hostname, port }: URL): Promise<Finding> {
  const { connect: connectTls } = await import('node:tls');
  const { isIP } = await import('node:net');
  const host = withoutBrackets(hostname);
  const { promise, resolve } = Promise.withResolvers<Finding>();
  const socket = connectTls({
    host,
    port: Number(port || 443),
    // A server name is never an address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: false,
    timeout: waitMs,
  });
  const end = (finding: Finding) => {
    socket.destroy();
    resolve(finding);
  };
  socket.once('secureConnect', () => {
    const { valid_to: validTo } = socket.getPeerCertificate();
    const leftMs = Date.parse(validTo) - Date.now();
    const remedy = 'Ask the operator to renew it.';
    if (leftMs < 0)
      end({ check: 'TLS', state: 'problem', detail: `The certificate expired on ${validTo}.`, remedy });
    else if (leftMs < expiresSoonMs)
      end({ check: 'TLS', state: 'warning', detail: `The certificate expires on ${validTo}.`, remedy });
    else end({ check: 'TLS', state: 'ok', detail: `the certificate is valid until ${validTo}` });
  });
  const none: Finding = { check: 'TLS', state: 'skipped', detail: 'no certificate was shown' };
  socket.once('error', () => end(none));
  socket.once('timeout', () => end(none));
  return await promise;
}

function examineStatus(status: Status, server: ChosenServer, version: string): readonly Finding[] {
  const { caller, open } = status;
  const who = open
    ? 'the server wants none'
    : `${caller.name}, ${caller.tenant === null ? 'operator' : `tenant ${caller.tenant}`} (${caller.scopes.join(', ')})`;
  return [
    {
      check: 'token',
      state: 'ok',
      detail:
        server.token === undefined && !open
          ? who
          : `${who}${server.token === undefined ? '' : `, from ${server.tokenFrom}`}`,
    },
    ...(open && !isLocal(server.url)
      ? [
          {
            check: 'access',
            state: 'warning',
            detail: 'Anyone who can connect to this server has full access.',
            remedy: status.closeCommand ?? 'Make a token on the server with framehold token create.',
          } as const,
        ]
      : []),
    status.ready
      ? { check: 'server', state: 'ok', detail: `framehold ${status.version}, ready` }
      : {
          check: 'server',
          state: 'problem',
          detail: 'The server is not ready.',
          remedy: 'Its log says why: it may be starting, stopping, or out of disk space.',
        },
    status.version === version
      ? { check: 'versions', state: 'ok', detail: `both are ${version}` }
      : {
          check: 'versions',
          state: 'warning',
          detail: `This command is ${version}, the server is ${status.version}.`,
          remedy: 'Update the older one if a command does not work.',
        },
  ];
}

function tokenFinding(error: unknown, { token, tokenFrom, url }: ChosenServer): Finding {
  if (!(error instanceof FrameholdError))
    return {
      check: 'server',
      state: 'problem',
      detail: 'The server does not answer in time.',
      remedy: 'Its log says why.',
    };
  if (error.status !== 401)
    return {
      check: 'server',
      state: 'problem',
      detail: error.detail,
      remedy: error.hint ?? 'Its log says more.',
    };
  return token === undefined
    ? {
        check: 'token',
        state: 'problem',
        detail: 'The server wants a token, and there is none.',
        remedy: `Run framehold login ${url}`,
      }
    : {
        check: 'token',
        state: 'problem',
        detail: `${error.detail} (from ${tokenFrom})`,
        remedy: `Make a new one with framehold token create, then run framehold login ${url}`,
      };
}

function isLocal(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
