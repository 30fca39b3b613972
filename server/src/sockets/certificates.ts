import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type Server, type TlsOptions } from 'node:tls';

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  /** Authorities that sign clients' certificates; null if clients are not asked for one. */
  readonly clientCa: string | null;
  /** Whether a client without a certificate is let in at all. */
  readonly clientRequired: boolean;
}

export interface CertificateEvents {
  readonly reloaded: () => void;
  /** What was read before stays in force. */
  readonly failed: (error: unknown) => void;
}

/**
 * Certificate and key of both listeners. The files are looked at now and then: the program that renews certificates need not know of the server, and open
 * connections go on with what they began with.
 */
export class Certificates {
  readonly #files: CertificateFiles;
  readonly #events: CertificateEvents;
  readonly #servers = new Set<Server>();
  readonly #timer: NodeJS.Timeout;
  #stamp: string;
  #options: TlsOptions;

  /** Throws if the files cannot be read, or do not belong together. */
  constructor(files: CertificateFiles, lookEveryMs: number, events: CertificateEvents) {
    this.#files = files;
    this.#events = events;
    this.#stamp = this.#stampNow();
    this.#options = this.#read();
    this.#timer = setInterval(() => this.look(), lookEveryMs);
    this.#timer.unref();
  }

  get options(): TlsOptions {
    return this.#options;
  }

  /** Gives the server each new certificate. */
  follow(server: Server): void {
    this.#servers.add(server);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Takes new files, if there are any. */
  look(): void {
    try {
      const stamp = this.#stampNow();
      if (stamp === this.#stamp) return;
      this.#options = this.#read();
      this.#stamp = stamp;
      for (const server of this.#servers) server.setSecureContext(this.#options);
      this.#events.reloaded();
    } catch (error) {
      // Certificate and key are two files: between the writing of one and of the other they do not belong together.
      this.#events.failed(error);
    }
  }

  #stampNow(): string {
    const { cert, key, clientCa } = this.#files;
    const stamps = [cert, key, ...(clientCa === null ? [] : [clientCa])].map((path) => {
      const { mtimeNs, size, ino } = statSync(path, { bigint: true });
      return `${mtimeNs}/${size}/${ino}`;
    });
    return stamps.join(' ');
  }

  #read(): TlsOptions {
    const { cert, key, clientCa, clientRequired } = this.#files;
    const read = {
      cert: readFileSync(cert),
      key: readFileSync(key),
      ...(clientCa === null ? {} : { ca: readFileSync(clientCa) }),
      minVersion: 'TLSv1.2',
    } as const;
    createSecureContext(read);
    return {
      ...read,
      requestCert: clientCa !== null,
      rejectUnauthorized: clientCa !== null && clientRequired,
    };
  }
}
