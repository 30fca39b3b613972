import { readFile } from 'node:fs/promises';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { ConnectChannel, type ConnectChannelOptions } from './connect-channel.ts';
import { ConnectSession } from './connect-session.ts';
import { addressText, parseConnectUrl } from './connect-url.ts';
import type { ConnectWaits } from './execution.ts';

export interface ConnectOptions {
  /** `sc://host:port/;use_ssl=true`. */
  readonly url: string;
  readonly token?: string | null;
  /** A file of certificates in PEM that vouch for the server's. Default: those of Node. */
  readonly caFile?: string | null;
  readonly waits?: Partial<ConnectWaits>;
}

const waitsDefault: ConnectWaits = {
  // Spark ends a stream after two minutes, and gives up an execution without one after five more.
  pausedMs: 60_000,
  // A driver that collects garbage may be silent for seconds; a new connection is no loss then.
  silenceMs: 30_000,
};

/** Spark Connect at one address. Sessions share its connection; a statement that reads slowly does not hold up another. */
export class ConnectClient {
  readonly #options: ConnectChannelOptions;
  readonly #channel: ConnectChannel;
  readonly #waits: ConnectWaits;

  private constructor(options: ConnectChannelOptions, waits: ConnectWaits) {
    this.#options = options;
    this.#waits = waits;
    this.#channel = new ConnectChannel(options);
  }

  /** Connects when a session is first used. bad_request if the URL is wrong. Whether a token may go there is decided where settings are read. */
  static async open(options: ConnectOptions): Promise<ConnectClient> {
    const { url, token = null, caFile = null, waits } = options;
    const address = parseConnectUrl(url);
    if (caFile !== null && !address.tls)
      throw new FrameholdError(
        'bad_request',
        'A file of certificates is given, but the URL of Spark Connect has no use_ssl=true.',
        {
          hint: 'Add /;use_ssl=true to the URL, or leave the file out.',
        },
      );
    const authorities = caFile === null ? null : await readFile(caFile);
    return new ConnectClient({ address, token, authorities }, { ...waitsDefault, ...waits });
  }

  /** host:port, for messages. */
  get address(): string {
    return addressText(this.#options.address);
  }

  /** A session that nobody else has: fresh ids of session and user. Spark knows it after its first call. */
  session(): ConnectSession {
    return new ConnectSession(this.#channel, () => new ConnectChannel(this.#options), this.#waits);
  }

  /** Ends all calls under way. */
  close(): void {
    this.#channel.close();
  }
}
