import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** In 3.0 a key has 4 bytes; 3.2 allows more, and 32 cannot be guessed. */
export const shortKeyBytes = 4;
export const longKeyBytes = 32;
/** Half of a long key is random: the same connection number comes again some day. */
const nonceBytes = 16;

/** Keys that another node can check without asking anybody: it has the same secret. */
export class BackendKeys {
  readonly #secret: () => Uint8Array;

  constructor(secret: () => Uint8Array) {
    this.#secret = secret;
  }

  create(id: number, bytes: typeof shortKeyBytes | typeof longKeyBytes): Buffer {
    const nonce = bytes === longKeyBytes ? randomBytes(nonceBytes) : Buffer.alloc(0);
    return Buffer.concat([nonce, this.#seal(id, nonce, bytes - nonce.length)]);
  }

  isValid(id: number, key: Uint8Array): boolean {
    if (key.length !== shortKeyBytes && key.length !== longKeyBytes) return false;
    const nonce = key.subarray(0, key.length === longKeyBytes ? nonceBytes : 0);
    const seal = key.subarray(nonce.length);
    return timingSafeEqual(this.#seal(id, nonce, seal.length), seal);
  }

  /** The id of the statement that a connection runs, which no caller can guess or choose. */
  statementId(id: number): string {
    return `pg_${id}_${this.#hmac('statement', id, new Uint8Array(0)).subarray(0, 12).toString('hex')}`;
  }

  #seal(id: number, nonce: Uint8Array, bytes: number): Buffer {
    return this.#hmac('cancel', id, nonce).subarray(0, bytes);
  }

  #hmac(purpose: string, id: number, nonce: Uint8Array): Buffer {
    return createHmac('sha256', this.#secret()).update(`${purpose} ${id} `).update(nonce).digest();
  }
}
