import type { Audit } from '../../frames/access/audit.ts';
import type { Caller } from '../../model/caller.ts';
import { asFrameholdError, FrameholdError } from '../../model/errors.ts';
import { randomId } from '../../model/handle.ts';
import type { Authenticator, Credentials } from '../../ports/authenticator.ts';
import { clientCertificateOf } from '../../sockets/client-certificate.ts';
import { passwordMessage } from '../protocol/client-messages.ts';
import { Fields, protocolViolation } from '../protocol/fields.ts';
import { passwordRequest } from '../protocol/server-messages.ts';
import { type Opened, packetBytesMax } from './first-packets.ts';
import { checkUserName } from './user-name.ts';

export interface LogInOptions {
  readonly authenticator: Authenticator;
  readonly audit: Audit;
  readonly isTenant: (name: string) => boolean;
  /** Passwords may come without TLS over the loopback address. */
  readonly allowPlaintext: boolean;
  readonly loginMs: number;
  readonly user: string;
}

export interface LoggedIn {
  readonly caller: Caller;
  /** Asks again: credentials end, and requests are counted. */
  readonly identify: () => Caller | Promise<Caller>;
}

/** Finds out who the client is. null if it has gone. */
export async function logIn(opened: Opened, options: LogInOptions): Promise<LoggedIn | null> {
  const { authenticator } = options;
  const { socket } = opened;
  const remote = `${socket.remoteAddress ?? 'unix'}:${socket.remotePort ?? 0}`;
  const asking = (authorization: string | undefined) => () => {
    const credentials: Credentials = {
      authorization,
      link: undefined,
      certificate: clientCertificateOf(socket),
    };
    return authenticator.authenticate(credentials, { remote, requestId: randomId() });
  };
  const without = asking(undefined);
  if (authenticator.isOpen) return admitted(await without(), without, options);
  if (clientCertificateOf(socket) !== null) {
    const caller = await knownByCertificate(without);
    if (caller !== null) return admitted(caller, without, options);
  }
  if (!mayBeSent(opened, options)) {
    const error = new FrameholdError(
      'unauthenticated',
      'This server asks for a password, and the connection is not encrypted.',
      {
        sqlState: '28000',
        hint: 'Connect with TLS (sslmode=require). Over the loopback address postgres.allow_plaintext allows it without.',
      },
    );
    options.audit.unidentified({ remote, requestId: randomId() }, error);
    throw error;
  }
  const password = await readPassword(opened, options.loginMs);
  if (password === null) return null;
  const identify = asking(`Bearer ${password}`);
  try {
    return admitted(await identify(), identify, options);
  } catch (thrown) {
    throw refused(asFrameholdError(thrown));
  }
}

async function knownByCertificate(ask: () => Caller | Promise<Caller>): Promise<Caller | null> {
  try {
    return await ask();
  } catch (thrown) {
    const error = asFrameholdError(thrown);
    // A password may be better.
    if (error.kind === 'unauthenticated') return null;
    throw error;
  }
}

function admitted(
  caller: Caller,
  identify: LoggedIn['identify'],
  { user, isTenant, audit }: LogInOptions,
): LoggedIn {
  // The authenticator has let it in: nobody else would log that it comes no further.
  audit.attemptNow(caller, 'enter', null, () => {
    if (caller.link !== null || caller.tenant === '')
      throw new FrameholdError('unauthenticated', 'Statements need a token of a tenant.', {
        sqlState: '28000',
        hint: 'A link opens one version over HTTP, and an operator has no frames.',
      });
    checkUserName(user, caller, isTenant);
  });
  return { caller, identify };
}

function mayBeSent({ isSecure, socket }: Opened, { allowPlaintext }: LogInOptions): boolean {
  const address = socket.remoteAddress;
  // Nobody can listen on a unix socket.
  if (isSecure || address === undefined) return true;
  return allowPlaintext && isLoopback(address);
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}

async function readPassword({ socket, inbox }: Opened, loginMs: number): Promise<string | null> {
  socket.write(passwordRequest);
  const late = () => socket.destroy();
  if (!(await inbox.wait(5, loginMs, late))) return null;
  const head = inbox.take(5);
  const length = head.readInt32BE(1) - 4;
  if (head.readUInt8(0) !== passwordMessage)
    throw protocolViolation('A password was asked for, and another message came.');
  if (length < 1 || length > packetBytesMax)
    throw protocolViolation(`A password has at most ${packetBytesMax} bytes.`);
  if (!(await inbox.wait(length, loginMs, late))) return null;
  const fields = new Fields(inbox.take(length));
  const password = fields.text();
  fields.end();
  return password;
}

/** What is said of a header over HTTP is said of the password here. */
function refused(error: FrameholdError): FrameholdError {
  if (error.kind !== 'unauthenticated' || error.sqlState !== undefined) return error;
  return new FrameholdError('unauthenticated', error.message, {
    sqlState: '28P01',
    hint: 'Give a token or a JSON Web Token as the password. The operator makes a token with: framehold token create.',
    cause: error.cause,
  });
}
