import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { jwtKeys } from '../../src/auth/jwt-keys.ts';
import { type JwtRules, JwtVerifier } from '../../src/auth/jwt-verifier.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { TestIssuer } from '../support/test-issuer.ts';

const issuer = new TestIssuer();
before(() => issuer.start());
after(() => issuer.stop());

function verifier(overrides: Partial<JwtRules> = {}, now = () => Date.now()): JwtVerifier {
  return new JwtVerifier(
    {
      issuer: issuer.name,
      audience: 'framehold',
      tenantClaim: 'tenant',
      scopeClaim: 'scope',
      scopePrefix: '',
      keys: jwtKeys({ url: issuer.keysUrl, maxAgeMs: 60_000 }),
      ...overrides,
    },
    now,
  );
}

async function kindOf(verified: unknown): Promise<string> {
  try {
    await verified;
  } catch (error) {
    if (error instanceof FrameholdError) return error.kind;
    throw error;
  }
  return 'let in';
}

test('claims become tenant, scopes and name', async () => {
  const token = await issuer.token({ tenant: 'a', scope: 'openid write tsdb', sub: 'ada' });
  const identity = await verifier().verify(token);
  assert.deepEqual(
    [identity.tenant, identity.name, [...identity.scopes].sort()],
    ['a', 'jwt:ada', ['read', 'tsdb', 'write']],
  );
});

test('claims may be paths, lists, and have a prefix', async () => {
  const rules = { tenantClaim: 'org.id', scopeClaim: 'realm.roles', scopePrefix: 'framehold:' };
  const token = await issuer.token({ org: { id: 'b' }, realm: { roles: ['framehold:read', 'write', 3] } });
  const identity = await verifier(rules).verify(token);
  assert.deepEqual([identity.tenant, [...identity.scopes]], ['b', ['read']]);
});

const good = { tenant: 'a', scope: 'read' };
const wrong: readonly (readonly [string, () => Promise<string>])[] = [
  ['of another issuer', () => issuer.token(good, { issuer: 'somebody' })],
  ['for another audience', () => issuer.token(good, { audience: 'other' })],
  ['that has expired', () => issuer.token(good, { expiresIn: -60 })],
  ['that is not valid yet', () => issuer.token({ ...good, nbf: Math.floor(Date.now() / 1_000) + 600 })],
  ['without an end', () => issuer.token(good, { expiresIn: null })],
  ['without a tenant', () => issuer.token({ scope: 'read' })],
  ['with a tenant that is no text', () => issuer.token({ ...good, tenant: ['a'] })],
  ['with a tenant that is a path', () => issuer.token({ ...good, tenant: '../b' })],
  ['signed with a key that the issuer does not have', () => signedElsewhere(good)],
  ['without a signature', async () => unsigned(good)],
  ['signed with a shared secret', () => signedWithSecret(good)],
  ['whose payload was changed', async () => tampered(await issuer.token(good))],
  ['that is nonsense', async () => 'a.b.c'],
];
for (const [what, make] of wrong) {
  test(`a token ${what} opens nothing`, async () => {
    assert.equal(await kindOf(verifier().verify(await make())), 'unauthenticated');
  });
}

test('a key that the issuer has added is found, and one that it has withdrawn soon counts no more', async (context) => {
  // The library waits a second before it asks for an unknown key again, by this clock.
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  let nowMs = Date.now();
  const keys = jwtKeys({ url: issuer.keysUrl, maxAgeMs: 1_000 });
  const subject = verifier({ keys }, () => nowMs);
  const old = await issuer.token(good);
  assert.equal(await kindOf(subject.verify(old)), 'let in');
  await issuer.rotate();
  context.mock.timers.tick(1_100);
  assert.equal(await kindOf(subject.verify(await issuer.token(good))), 'let in');
  nowMs += 11_000;
  assert.equal(await kindOf(subject.verify(old)), 'unauthenticated');
});

test('keys in a file are read again when it changes', async () => {
  const file = join(temporaryFolder('keys'), 'keys.json');
  writeFileSync(file, JSON.stringify({ keys: [] }));
  const subject = verifier({ keys: jwtKeys({ file }) });
  const token = await issuer.token(good);
  assert.equal(await kindOf(subject.verify(token)), 'unauthenticated');
  writeFileSync(file, JSON.stringify(issuer.keySet));
  assert.equal(await kindOf(subject.verify(token)), 'let in');
});

test('an issuer that is not there is not the fault of the token', async () => {
  const keys = jwtKeys({ url: 'http://127.0.0.1:9/keys', maxAgeMs: 1_000 });
  assert.equal(await kindOf(verifier({ keys }).verify(await issuer.token(good))), 'issuer_unreachable');
});

test('keys are not fetched from the target of a redirect', async () => {
  const redirecting = createServer((_request, response) =>
    response.writeHead(302, { location: issuer.keysUrl }).end(),
  );
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
  const { port } = redirecting.address() as AddressInfo;
  const keys = jwtKeys({ url: `http://127.0.0.1:${port}/keys`, maxAgeMs: 1_000 });
  assert.equal(await kindOf(verifier({ keys }).verify(await issuer.token(good))), 'issuer_unreachable');
  redirecting.closeAllConnections();
  redirecting.close();
});

test('a token that was verified is not kept beyond its end', async () => {
  let nowMs = Date.now();
  const subject = verifier({}, () => nowMs);
  const token = await issuer.token(good, { expiresIn: 2 });
  assert.equal(await kindOf(subject.verify(token)), 'let in');
  // Clocks of two machines may differ by half a minute.
  nowMs += 40_000;
  assert.equal(await kindOf(subject.verify(token)), 'unauthenticated');
});

async function signedElsewhere(claims: JWTPayload): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const { kid } = issuer.keySet.keys[0] ?? {};
  assert((await exportJWK(publicKey)).kty === 'EC' && kid !== undefined);
  return sign(claims, { alg: 'ES256', kid }, privateKey);
}

function signedWithSecret(claims: JWTPayload): Promise<string> {
  // The public key as the secret: what a verifier that takes any algorithm falls for.
  const secret = new TextEncoder().encode(JSON.stringify(issuer.keySet.keys[0]));
  return sign(claims, { alg: 'HS256' }, secret);
}

function sign(
  claims: JWTPayload,
  header: { alg: string; kid?: string },
  key: CryptoKey | Uint8Array,
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader(header)
    .setIssuer(issuer.name)
    .setAudience('framehold')
    .setExpirationTime('1h')
    .sign(key);
}

function unsigned(claims: JWTPayload): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ ...claims, iss: issuer.name, aud: 'framehold', exp: 9e9 })}.`;
}

function tampered(token: string): string {
  const [header, payload = '', signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload;
  const changed = Buffer.from(JSON.stringify({ ...claims, tenant: 'b' })).toString('base64url');
  return `${header}.${changed}.${signature}`;
}
