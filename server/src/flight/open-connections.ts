import type { Socket } from 'node:net';
import type { Observe } from '../frames/observation.ts';
import { AddressLimit } from '../sockets/address-limit.ts';
import { peerOf } from '../sockets/peer.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Connections without an authenticated call, on a server with credentials. */
  readonly unauthenticatedMax: number;
  /** Connections from one address; 0: no limit. */
  readonly perAddressMax: number;
}

/**
 * How long a new connection may take to its first call before it counts for `unauthenticatedMax`: many workers that start together
 * connect at once, and each calls within some round trips. When connections run out, age does not protect.
 */
const firstCallMs = 1_000;

interface Connection {
  readonly socket: Socket;
  readonly openedAt: number;
}

/**
 * The connections of the listener. One too many is closed at once, before a byte is read: left in the backlog it would wait for ever, and
 * answered with a gRPC status it would need an HTTP/2 session of its own, which is what the limit is there to save. Clients see UNAVAILABLE,
 * which gRPC defines as "try again". On a server with credentials, connections that have not shown one go first.
 */
export class OpenConnections {
  readonly #limits: ConnectionLimits;
  readonly #isOpen: () => boolean;
  readonly #observe: Observe;
  readonly #addresses: AddressLimit;
  readonly #all = new Set<Socket>();
  /** By peer, oldest first. */
  readonly #unauthenticated = new Map<string, Connection>();
  #timer: NodeJS.Timeout | null = null;

  /** `isOpen`: no credentials are configured. */
  constructor(limits: ConnectionLimits, isOpen: () => boolean, observe: Observe) {
    this.#limits = limits;
    this.#isOpen = isOpen;
    this.#observe = observe;
    this.#addresses = new AddressLimit(() => limits.perAddressMax);
  }

  add(socket: Socket): void {
    if (!this.#addresses.admit(socket)) {
      this.#refuse(socket, 'server.connections_per_address_max', this.#limits.perAddressMax);
      return;
    }
    this.#all.add(socket);
    const peer = peerOf(socket);
    socket.once('close', () => {
      this.#all.delete(socket);
      if (peer !== null) this.#unauthenticated.delete(peer);
    });
    if (this.#all.size > this.#limits.maxConnections) this.#makeRoom(socket);
    if (socket.destroyed || peer === null) return;
    this.#unauthenticated.set(peer, { socket, openedAt: performance.now() });
    this.#closeUnauthenticated();
  }

  /** A call on the connection of this peer was let in. */
  authenticated(peer: string): void {
    // Calls to an open server show nothing, and the server may not stay open.
    if (!this.#isOpen()) this.#unauthenticated.delete(peer);
  }

  destroy(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const socket of this.#all) socket.destroy();
  }

  #makeRoom(newest: Socket): void {
    const [oldest] = this.#isOpen() ? [] : this.#unauthenticated.values();
    this.#refuse(oldest?.socket ?? newest, 'server.max_connections', this.#limits.maxConnections);
  }

  #closeUnauthenticated(): void {
    const { unauthenticatedMax } = this.#limits;
    for (const { socket, openedAt } of this.#unauthenticated.values()) {
      if (this.#unauthenticated.size <= unauthenticatedMax || this.#isOpen()) return;
      const leftMs = openedAt + firstCallMs - performance.now();
      if (leftMs > 0) {
        this.#timer ??= setTimeout(() => {
          this.#timer = null;
          this.#closeUnauthenticated();
        }, leftMs).unref();
        return;
      }
      this.#refuse(socket, 'server.unauthenticated_max', unauthenticatedMax);
    }
  }

  #refuse(socket: Socket, setting: string, limit: number): void {
    // Removed at once: its end is reported in a later turn, and others may connect in this one.
    this.#all.delete(socket);
    const peer = peerOf(socket);
    if (peer !== null) this.#unauthenticated.delete(peer);
    socket.destroy();
    this.#observe({ event: 'connection-refused', listener: 'flight', setting, limit });
  }
}
