import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { protocolViolation } from '../protocol/fields.ts';
import { Inbox } from '../protocol/inbox.ts';
import { readStartup, type StartupPacket } from '../protocol/startup.ts';
import { alpnProtocol, type TlsUpgrade } from './tls-upgrade.ts';

/** As PostgreSQL has it. A token that is longer than this comes in no password either. */
export const packetBytesMax = 10_000;
/** Of a TLS record with a handshake: no packet of the protocol begins with it, because none is that long. */
const tlsHandshake = 0x16;

/** A connection and what it has been made of so far. */
export interface Opened {
  readonly socket: Socket;
  readonly inbox: Inbox;
  readonly isSecure: boolean;
}

export type FirstPacket = Opened & {
  readonly packet: Extract<StartupPacket, { readonly kind: 'startup' | 'cancel' }>;
};

export interface FirstPacketsOptions {
  /** null: no TLS. */
  readonly tls: TlsUpgrade | null;
  readonly loginMs: number;
  readonly onEnd: () => void;
}

/** Reads up to the packet that says what the connection is for. null: it ended, or is of no use. */
export async function readFirstPackets(
  plain: Socket,
  { tls, loginMs, onEnd }: FirstPacketsOptions,
): Promise<FirstPacket | null> {
  let opened: Opened = { socket: plain, inbox: new Inbox(plain, onEnd), isSecure: false };
  const asked = new Set<string>();
  const late = () => plain.destroy();
  for (;;) {
    const { inbox, socket, isSecure } = opened;
    if (!(await inbox.wait(1, loginMs, late))) return null;
    if (inbox.peek() === tlsHandshake && !isSecure && asked.size === 0) {
      const secured = await direct(opened, tls, onEnd);
      if (secured === null) return null;
      opened = secured;
      continue;
    }
    if (!(await inbox.wait(4, loginMs, late))) return null;
    const length = inbox.take(4).readInt32BE(0) - 4;
    if (length < 4 || length > packetBytesMax)
      throw protocolViolation(`The first packet has ${length} bytes, which is not possible.`);
    if (!(await inbox.wait(length, loginMs, late))) return null;
    const packet = readStartup(inbox.take(length));
    if (packet.kind === 'startup' || packet.kind === 'cancel') return { ...opened, packet };
    if (asked.has(packet.kind)) throw protocolViolation('The same kind of encryption is asked for twice.');
    asked.add(packet.kind);
    // What is there already was sent before encryption, and must not be taken for what comes after it.
    if (inbox.waiting > 0) throw protocolViolation('Data was sent before encryption was answered.');
    if (packet.kind === 'gss' || tls === null || isSecure || socket.remoteAddress === undefined) {
      socket.write('N');
      continue;
    }
    socket.write('S');
    const secured = await secure(opened, tls, onEnd);
    if (secured === null) return null;
    opened = secured;
  }
}

/** TLS from the first byte on. Without the name of the protocol, a connection that was meant for another port could end here. */
async function direct(opened: Opened, tls: TlsUpgrade | null, onEnd: () => void): Promise<Opened | null> {
  if (tls === null) {
    opened.socket.destroy();
    return null;
  }
  const received = opened.inbox.takeAll();
  opened.inbox.detach();
  opened.socket.unshift(received);
  const secured = await upgraded(opened, tls, onEnd);
  if (
    secured === null ||
    (secured.socket instanceof TLSSocket && secured.socket.alpnProtocol === alpnProtocol)
  )
    return secured;
  secured.socket.destroy();
  return null;
}

function secure(opened: Opened, tls: TlsUpgrade, onEnd: () => void): Promise<Opened | null> {
  opened.inbox.detach();
  return upgraded(opened, tls, onEnd);
}

async function upgraded({ socket }: Opened, tls: TlsUpgrade, onEnd: () => void): Promise<Opened | null> {
  const secured = await tls.secure(socket);
  if (secured === null) return null;
  secured.on('error', () => secured.destroy());
  return { socket: secured, inbox: new Inbox(secured, onEnd), isSecure: true };
}
