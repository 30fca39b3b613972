/** Until `@framehold/client` is complete. */
export interface Status {
  readonly version: string;
  readonly open: boolean;
  readonly caller: { readonly tenant: string; readonly name: string; readonly scopes: readonly string[] };
  readonly closeCommand?: string;
}

export class Framehold {
  readonly #options: {
    readonly url: URL;
    readonly token: () => string | undefined;
    readonly fetch: typeof fetch;
  };

  constructor(options: {
    readonly url: URL;
    readonly token: () => string | undefined;
    readonly fetch: typeof fetch;
  }) {
    this.#options = options;
  }

  async status({ signal }: { readonly signal?: AbortSignal } = {}): Promise<Status> {
    return await this.#json('v1/status', signal);
  }

  async #json<T>(path: string, signal?: AbortSignal): Promise<T> {
    const { url, token, fetch } = this.#options;
    const text = token();
    const answer = await fetch(new URL(path, url), {
      headers: text === undefined ? {} : { authorization: `Bearer ${text}` },
      ...(signal === undefined ? {} : { signal }),
    });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return (await answer.json()) as T;
  }
}
