/** docs/guides/mistakes/flight.md: each mistake is made with pyarrow or ADBC, against the started command. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import { runPython } from '../../server/test/support/python.ts';
import { TestAuthority } from '../../server/test/support/test-authority.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';
import { mistakesOn, testMistakes } from './make-mistakes.ts';

let plain: Framehold;
let secure: Framehold;
let seen: Readonly<Record<string, string>>;

before(async () => {
  const { cert, key } = new TestAuthority().signServer();
  [plain, secure] = await Promise.all([
    Framehold.start(),
    Framehold.start({ env: { FRAMEHOLD_TLS_CERT_FILE: cert, FRAMEHOLD_TLS_KEY_FILE: key } }),
  ]);
  using credentials = new TestCredentials(plain.dataDirectory);
  const tenant = 'default';
  seen = (await runPython([join(import.meta.dirname, 'flight-mistakes.py')], {
    grpc: plain.grpcUrl,
    http: plain.url,
    secure: secure.grpcUrl,
    closed: `grpc://127.0.0.1:${await freePort()}`,
    token: credentials.create({ tenant, scopes: ['read', 'write'] }),
    reader: credentials.create({ tenant, scopes: ['read'] }),
    expired: credentials.create({ tenant, scopes: ['read'], ttlMs: 1 }),
  })) as Record<string, string>;
  assert.deepEqual(Object.keys(seen).sort(), mistakesOn('flight').sort());
});
after(async () => {
  await plain?.remove();
  await secure?.remove();
});

testMistakes(
  'flight',
  Object.fromEntries(mistakesOn('flight').map((mistake) => [mistake, async () => seen[mistake] ?? ''])),
);
