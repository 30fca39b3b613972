import { connect, createServer } from 'node:net';
import { formatAddress } from '../config/address.ts';
import { isLoopback } from '../config/loopback.ts';
import type { Settings } from '../config/settings.ts';
import { errorKinds } from '../model/errors.ts';
import { type Finding, found, problem, warning } from './finding.ts';

/** For anything that should answer at once. */
const waitMs = 5_000;

/** Each port is free, or a Framehold server has it. */
export async function examinePorts(settings: Settings): Promise<readonly Finding[]> {
  const http = settings['http.bind_address'];
  const scheme = settings['tls.cert_file'] === undefined ? 'http' : 'https';
  const grpcHost = settings['server.grpc_host'];
  const grpcPort = settings['server.grpc_port'];
  const isFramehold = 'path' in http ? false : await answersPing(scheme, http.host, http.port);
  const user = isFramehold ? framehold : stranger;
  return [
    'path' in http
      ? found('port of HTTP', `a socket: ${http.path}`)
      : await checkPort('port of HTTP', http.host, http.port, user, '--http-bind-address'),
    grpcHost.startsWith('unix:')
      ? found('port of Flight', `a socket: ${grpcHost}`)
      : await checkPort('port of Flight', grpcHost, grpcPort, user, '--grpc-port'),
    ...(await examinePostgres(settings)),
  ];
}

const framehold = 'a Framehold server';
const stranger = 'another program';
const postgres = 'PostgreSQL, or a program that speaks its protocol';

async function checkPort(
  check: string,
  host: string,
  port: number,
  user: string,
  flag: string,
): Promise<Finding> {
  const code = await bindingFailure(host, port);
  if (code === null) return found(check, `${host}:${port} is free`);
  if (code === 'EADDRINUSE')
    return user === framehold
      ? found(check, `${host}:${port} is used by ${user}`)
      : problem(
          check,
          `${host}:${port} is used by ${user}.`,
          `Stop it (ss -ltnp names it), or choose another port with ${flag}.`,
        );
  return problem(
    check,
    `${host}:${port} cannot be bound (${code}).`,
    `Choose an address of this machine and a port from 1024, with ${flag}.`,
  );
}

/** null if the port can be bound. */
function bindingFailure(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

async function answersPing(scheme: string, host: string, port: number): Promise<boolean> {
  try {
    const address = formatAddress({ host: localOf(host), port });
    const answer = await fetch(`${scheme}://${address}/ping`, { signal: AbortSignal.timeout(waitMs) });
    return (await answer.text()) === 'ok';
  } catch (error) {
    // Its certificate need not be for 127.0.0.1; a TLS listener on our port is taken for ours.
    return scheme === 'https' && String((error as Error).cause).includes('ertificate');
  }
}

/** Where a listener that is bound to this address is reached from this machine. */
function localOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

async function examinePostgres(settings: Settings): Promise<readonly Finding[]> {
  const check = 'port for PostgreSQL clients';
  const address = settings['postgres.bind_address'];
  if (address === undefined)
    return [{ check, state: 'skipped', detail: 'is not configured (postgres.bind_address)' }];
  if ('path' in address) return [found(check, `a socket: ${address.path}`)];
  const { host, port } = address;
  const user = (await bindingFailure(host, port)) === null ? stranger : await speakerAt(host, port);
  return [await checkPort(check, host, port, user, '--postgres-bind-address'), examineLogIn(settings, host)];
}

/** Whether those who can connect can also log in, and what passwords they send can be read by others. */
function examineLogIn(settings: Settings, host: string): Finding {
  const check = 'log-in of PostgreSQL clients';
  const isLocal = isLoopback(host);
  const hasTls = settings['tls.cert_file'] !== undefined;
  if (settings['postgres.allow_plaintext'])
    return isLocal
      ? found(check, 'passwords may come without TLS, over the loopback address (postgres.allow_plaintext)')
      : warning(
          check,
          `postgres.allow_plaintext is set, and ${host} is not the loopback address: clients of this machine may send tokens without TLS, all others must not.`,
          'Bind to 127.0.0.1 if it is meant for programs of this machine; else switch it off, and let all use TLS.',
        );
  if (hasTls) return found(check, 'passwords come inside TLS');
  if (!settings['auth.required'])
    return found(check, 'without TLS, passwords are refused as soon as the server has credentials');
  return warning(
    check,
    'Nobody can log in: credentials are required, and there is no TLS.',
    `Set tls.cert_file and tls.key_file${isLocal ? ', or postgres.allow_plaintext for programs of this machine' : ''}.`,
  );
}

/** A startup packet without a user, which every server answers with an error. */
const startupWithoutUser = Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0]);

/** Who answers at a port that is in use. Errors of Framehold have its own codes where PostgreSQL names a function of its source. */
function speakerAt(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host: localOf(host), port, timeout: waitMs });
    socket.on('connect', () => socket.write(startupWithoutUser));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      const routine = /^E.*\0R([^\0]+)\0/s.exec(answer)?.[1];
      if (routine !== undefined && routine in errorKinds) resolve(framehold);
      else resolve(answer.startsWith('E') ? postgres : stranger);
    });
  });
}
