import { type IncomingHttpHeaders, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { request as secureRequest, Agent as TlsAgent } from 'node:https';

export interface PlainRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As they came: names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** What TLS needs to know. */
export interface TlsFiles {
  readonly ca: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Requests over kept connections, with every byte of the head at hand, and with certificates, which fetch does not take. */
export class PlainClient implements Disposable {
  readonly #base: string;
  readonly #agent: PlainAgent | TlsAgent;

  constructor(base: string, tls?: TlsFiles, connectionsMax = 8) {
    this.#base = base;
    const options = { keepAlive: true, maxSockets: connectionsMax };
    this.#agent = tls === undefined ? new PlainAgent(options) : new TlsAgent({ ...options, ...tls });
  }

  ask(path: string, { method = 'GET', headers = {}, body }: PlainRequest = {}): Promise<PlainAnswer> {
    const request = this.#agent instanceof TlsAgent ? secureRequest : plainRequest;
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#base + path,
        { method, headers: { ...headers, ...lengthOf(body) }, agent: this.#agent },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () => {
            const { statusCode: status = 0, headers: answered, rawHeaders } = answer;
            resolve({ status, headers: answered, rawHeaders, body: Buffer.concat(chunks) });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function lengthOf(body: string | Uint8Array | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}
