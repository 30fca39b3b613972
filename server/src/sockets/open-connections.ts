import type { Socket } from 'node:net';
import { AddressLimit } from './address-limit.ts';
import { peerOf } from './peer.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Connections without an authenticated request, on a server with credentials. */
  readonly unauthenticatedMax: number;
  /** Connections from one address; 0: no limit. */
  readonly perAddressMax: number;
}

/** Which setting each of the limits is. */
export type LimitNames = Readonly<Record<keyof ConnectionLimits, string>>;

/**
 * How long a new connection may take to its first request before it counts for `unauthenticatedMax`: many workers that start together
 * connect at once, and each asks within some round trips. When connections run out, age does not protect.
 */
const firstRequestMs = 1_000;

interface Connection {
  readonly socket: Socket;
  readonly openedAt: number;
}

/**
 * The connections of a listener. One too many is closed at once, before a byte is read: left in the backlog it would wait for ever, and an
 * answer would need a session of its own, which is what the limit is there to save. Clients of gRPC see UNAVAILABLE, which is defined as "try
 * again". On a server with credentials, connections that have not shown one go first.
 */
export class OpenConnections {
  readonly #limits: ConnectionLimits;
  readonly #names: LimitNames;
  readonly #isOpen: () => boolean;
  readonly #refused: (setting: string, limit: number) => void;
  readonly #addresses: AddressLimit;
  readonly #all = new Set<Socket>();
  /** By peer, oldest first. */
  readonly #unauthenticated = new Map<string, Connection>();
  #timer: NodeJS.Timeout | null = null;

  /** `isOpen`: no credentials are configured. */
  constructor(
    limits: ConnectionLimits,
    names: LimitNames,
    isOpen: () => boolean,
    refused: (setting: string, limit: number) => void,
  ) {
    this.#limits = limits;
    this.#names = names;
    this.#isOpen = isOpen;
    this.#refused = refused;
    this.#addresses = new AddressLimit(() => limits.perAddressMax);
  }

  get size(): number {
    return this.#all.size;
  }

  add(socket: Socket): void {
    if (!this.#addresses.admit(socket)) {
      this.#refuse(socket, 'perAddressMax');
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

  /** A request on the connection of this peer was let in. */
  authenticated(peer: string): void {
    // Requests to an open server show nothing, and the server may not stay open.
    if (!this.#isOpen()) this.#unauthenticated.delete(peer);
  }

  destroy(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const socket of this.#all) socket.destroy();
  }

  #makeRoom(newest: Socket): void {
    const [oldest] = this.#isOpen() ? [] : this.#unauthenticated.values();
    this.#refuse(oldest?.socket ?? newest, 'maxConnections');
  }

  #closeUnauthenticated(): void {
    const { unauthenticatedMax } = this.#limits;
    for (const { socket, openedAt } of this.#unauthenticated.values()) {
      if (this.#unauthenticated.size <= unauthenticatedMax || this.#isOpen()) return;
      const leftMs = openedAt + firstRequestMs - performance.now();
      if (leftMs > 0) {
        this.#timer ??= setTimeout(() => {
          this.#timer = null;
          this.#closeUnauthenticated();
        }, leftMs).unref();
        return;
      }
      this.#refuse(socket, 'unauthenticatedMax');
    }
  }

  #refuse(socket: Socket, limit: keyof ConnectionLimits): void {
    // Removed at once: its end is reported in a later turn, and others may connect in this one.
    this.#all.delete(socket);
    const peer = peerOf(socket);
    if (peer !== null) this.#unauthenticated.delete(peer);
    socket.destroy();
    this.#refused(this.#names[limit], this.#limits[limit]);
  }
}
