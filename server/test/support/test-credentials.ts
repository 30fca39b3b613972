import { mkdirSync } from 'node:fs';
import type { Scope } from '../../src/model/scope.ts';
import { frameholdToken } from './framehold-tokens.ts';
import { LocalCredentials } from './local-credentials.ts';
import { sharedCatalogOf } from './shared-catalogs.ts';

export interface WantedCredential {
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  readonly ttlMs?: number;
  /** The name of its holder in logs; default: its id. */
  readonly name?: string;
  /** The common name of a client certificate; without it a token is made. */
  readonly certificate?: string;
}

/** What `framehold token` does on the data directory of a running server, without a process for each: a matrix of callers needs many. */
export class TestCredentials implements Disposable {
  readonly #tokens: LocalCredentials;
  readonly #dataDirectory: string;

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
    mkdirSync(dataDirectory, { recursive: true });
    this.#tokens = new LocalCredentials(dataDirectory);
  }

  /** The token's text, or the id of what was registered for a certificate. */
  create({ tenant, scopes, ttlMs = 3_600_000, name, certificate }: WantedCredential): string {
    if (sharedCatalogOf(this.#dataDirectory)) {
      const words = [
        '--tenant',
        tenant,
        '--scope',
        scopes.join(','),
        '--ttl',
        `${Math.ceil(ttlMs / 1_000)}s`,
      ];
      if (name !== undefined) words.push('--name', name);
      if (certificate !== undefined) words.push('--certificate', certificate);
      const made = frameholdToken(this.#dataDirectory, 'create', ...words);
      return String(made.token ?? made.id);
    }
    const { id, token } = this.#tokens.create({
      tenant,
      scopes,
      ttlMs,
      name: name ?? null,
      certificate: certificate ?? null,
    });
    return token ?? id;
  }

  /** Takes what `create` gave. */
  revoke(text: string): void {
    if (sharedCatalogOf(this.#dataDirectory)) {
      frameholdToken(this.#dataDirectory, 'revoke', text);
      return;
    }
    if (this.#tokens.revoke(text) === null) throw new Error(`there is no credential ${text}`);
  }

  [Symbol.dispose](): void {
    this.#tokens[Symbol.dispose]();
  }
}
