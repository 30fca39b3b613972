import { join } from 'node:path';
import { Child } from './child-process.ts';
import { freePort } from './free-port.ts';
import { partsFolder } from './repository.ts';

const binary = join(partsFolder, 'bin', 'toxiproxy-v2.12.0');

export interface Toxic {
  readonly type: 'latency' | 'timeout' | 'reset_peer' | 'limit_data' | 'bandwidth' | 'slow_close';
  readonly stream?: 'upstream' | 'downstream';
  readonly attributes: Readonly<Record<string, number>>;
}

/** A TCP proxy before a real part, in which network faults can be switched on and off. */
export class Toxiproxy {
  readonly #child: Child;
  readonly #api: string;
  #count = 0;

  private constructor(child: Child, api: string) {
    this.#child = child;
    this.#api = api;
  }

  static async start(): Promise<Toxiproxy> {
    // It cannot say which port it took if it is given 0.
    const port = await freePort();
    const child = new Child({ command: binary, args: ['-host', '127.0.0.1', '-port', String(port)] });
    const api = `http://127.0.0.1:${port}`;
    await child.until('answer to /version', async () => {
      const answer = await fetch(`${api}/version`).catch(() => null);
      return answer?.ok ? true : null;
    });
    return new Toxiproxy(child, api);
  }

  /** A way to the target; what it gives back is the URL to use in its place. */
  async before(targetUrl: string): Promise<Passage> {
    const name = `passage-${++this.#count}`;
    const upstream = new URL(targetUrl).host;
    const made = (await this.call('POST', '/proxies', {
      name,
      listen: '127.0.0.1:0',
      upstream,
      enabled: true,
    })) as {
      listen: string;
    };
    return new Passage(this, name, `http://${made.listen}`);
  }

  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(this.#api + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`toxiproxy ${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  async stop(): Promise<void> {
    await this.#child.stop();
  }
}

export class Passage {
  readonly url: string;
  readonly #proxy: Toxiproxy;
  readonly #name: string;

  constructor(proxy: Toxiproxy, name: string, url: string) {
    this.#proxy = proxy;
    this.#name = name;
    this.url = url;
  }

  /** Nobody listens any more: the database is down. */
  async close(): Promise<void> {
    await this.#proxy.call('POST', `/proxies/${this.#name}`, { enabled: false });
  }

  async open(): Promise<void> {
    await this.#proxy.call('POST', `/proxies/${this.#name}`, { enabled: true });
  }

  async poison(toxic: Toxic): Promise<void> {
    await this.#proxy.call('POST', `/proxies/${this.#name}/toxics`, {
      stream: 'downstream',
      name: toxic.type,
      ...toxic,
    });
  }

  async heal(): Promise<void> {
    const { toxics } = (await this.#proxy.call('GET', `/proxies/${this.#name}`)) as {
      toxics: { name: string }[];
    };
    for (const toxic of toxics)
      await this.#proxy.call('DELETE', `/proxies/${this.#name}/toxics/${toxic.name}`);
  }
}
