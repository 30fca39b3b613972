import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { CachedCredentials } from '../../src/auth/cached-credentials.ts';
import { hashSecret, mintToken } from '../../src/auth/token.ts';
import type { Credential, CredentialSource } from '../../src/ports/credential-source.ts';
import { eventually } from '../support/patience.ts';

/** A source on another machine: it answers later. */
class DistantSource implements CredentialSource {
  readonly isDistant = true;
  readonly credentials: Credential[] = [];
  asked = 0;
  mark = 1;

  async credentialsSince(mark: number | null) {
    this.asked += 1;
    await turn();
    return mark === this.mark ? null : { mark: this.mark, content: [...this.credentials] };
  }

  async limitsSince() {
    return null;
  }

  async setLimits() {}

  add(credential: Partial<Credential> & Pick<Credential, 'id' | 'proof'>): void {
    const rest = { tenant: 'a', name: 'n', scopes: ['read'], createdAt: 0 } as const;
    this.credentials.push({ ...rest, expiresAt: null, revokedAt: null, ...credential });
    this.mark += 1;
  }
}

test('a credential that is not known yet is waited for, and one that is known is not', async () => {
  const source = new DistantSource();
  const known = new CachedCredentials(source, Date.now);
  const token = mintToken();
  await assert.rejects(async () => known.byToken(token), /not one of this server/);
  source.add({ id: token.id, proof: { kind: 'token', secretHash: hashSecret(token.secret) } });
  source.add({ id: 'cert', proof: { kind: 'certificate', subject: 'CN:x' }, tenant: 'b' });
  const found = known.byToken(token);
  assert.ok(found instanceof Promise);
  assert.equal((await found).tenant, 'a');
  const again = known.byToken(token);
  assert.ok(!(again instanceof Promise));
  assert.equal((await known.byCertificate(['CN:x'])).tenant, 'b');
});

test('a revocation on another machine counts after the next look', async () => {
  const source = new DistantSource();
  const token = mintToken();
  source.add({ id: token.id, proof: { kind: 'token', secretHash: hashSecret(token.secret) } });
  const known = new CachedCredentials(source, Date.now);
  const identity = await known.byToken(token);
  assert.equal(identity.isCurrent(), true);
  const [credential] = source.credentials.splice(0);
  source.add({ ...(credential as Credential), revokedAt: 1 });
  await eventually('the next look has seen it', () => !identity.isCurrent());
  await assert.rejects(async () => known.byToken(token), /revoked/);
});

test('many callers with unknown credentials ask the source once at a time', async () => {
  const source = new DistantSource();
  const known = new CachedCredentials(source, Date.now);
  const tries = Array.from({ length: 20 }, async () => known.byToken(mintToken()));
  const outcomes = await Promise.allSettled(tries);
  assert.ok(outcomes.every(({ status }) => status === 'rejected'));
  assert.ok(source.asked <= 2, `${source.asked}`);
});
