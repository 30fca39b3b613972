import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export interface TokenOptions {
  readonly issuer?: string;
  readonly audience?: string;
  /** Seconds; null leaves the end out. */
  readonly expiresIn?: number | null;
}

/** An OIDC issuer as far as a verifier sees it: keys under a URL, and tokens signed with the newest of them. */
export class TestIssuer {
  readonly name = 'https://issuer.test/';
  readonly #server: Server;
  #key: { readonly id: string; readonly privateKey: CryptoKey } | null = null;
  #keys: JWK[] = [];
  #made = 0;

  constructor() {
    this.#server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(this.keySet));
    });
  }

  get keySet(): { readonly keys: readonly JWK[] } {
    return { keys: this.#keys };
  }

  get keysUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/keys`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    await this.rotate();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** A new key signs from now on, and the one before is withdrawn. */
  async rotate(): Promise<void> {
    this.#made += 1;
    const id = `key-${this.#made}`;
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    this.#key = { id, privateKey };
    this.#keys = [{ ...(await exportJWK(publicKey)), kid: id, alg: 'ES256', use: 'sig' }];
  }

  async token(
    claims: JWTPayload,
    { issuer = this.name, audience = 'framehold', expiresIn = 3_600 }: TokenOptions = {},
  ): Promise<string> {
    if (this.#key === null) throw new Error('not started');
    const jwt = new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: this.#key.id })
      .setIssuer(issuer)
      .setAudience(audience);
    if (expiresIn !== null) jwt.setExpirationTime(Math.floor(Date.now() / 1_000) + expiresIn);
    return jwt.sign(this.#key.privateKey);
  }
}
