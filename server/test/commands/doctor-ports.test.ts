/** What `framehold doctor --server` says of the address for PostgreSQL's clients. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examinePorts } from '../../src/commands/doctor-ports.ts';
import { loadSettings } from '../../src/config/load.ts';
import { Harness } from '../pgwire/harness.ts';
import { freePort } from '../support/free-port.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Of the two checks: the state, and what is said. */
async function examine(flags: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = temporaryFolder('doctor');
  const { settings } = loadSettings({
    flags: new Map(Object.entries({ 'http-bind-address': '127.0.0.1:0', 'grpc-port': '0', ...flags })),
    environment: { HOME: folder },
    directory: folder,
  });
  const findings = await examinePorts(settings);
  return findings
    .filter(({ check }) => check.includes('PostgreSQL'))
    .map(({ state, detail, remedy = '' }) => `${state}: ${detail} ${remedy}`);
}

test('the port is free, or it is said who has it', async (t) => {
  await using harness = await Harness.start();
  const real = await PostgresServer.start();
  t.after(() => real.stop());
  const at = async (port: number) =>
    (await examine({ 'postgres-bind-address': `127.0.0.1:${port}` }))[0] ?? '';
  assert.match(await at(await freePort()), /^ok: 127\.0\.0\.1:\d+ is free/);
  assert.match(await at(harness.listener.port), /^ok: .* is used by a Framehold server/);
  const port = Number(new URL(await real.newDatabase()).port);
  assert.match(
    await at(port),
    /^problem: .* used by PostgreSQL.*choose another port with --postgres-bind-address/,
  );
  assert.deepEqual(await examine({}), ['skipped: is not configured (postgres.bind_address) ']);
});

test('tokens that are sent without TLS, and a listener that nobody can log in to, are warnings', async () => {
  const logIn = async (host: string, flags: Readonly<Record<string, string>> = {}) =>
    (await examine({ 'postgres-bind-address': `${host}:0`, ...flags }))[1] ?? '';
  const plain = { 'postgres-allow-plaintext': 'true' };
  const tls = { 'tls-cert-file': 'server.crt', 'tls-key-file': 'server.key' };
  const required = { 'auth-required': 'true' };
  assert.match(await logIn('127.0.0.1', plain), /^ok: .*over the loopback address/);
  assert.match(await logIn('[::1]', plain), /^ok: .*over the loopback address/);
  for (const host of ['0.0.0.0', '[::]'])
    assert.match(
      await logIn(host, { ...plain, ...tls }),
      /^warning: postgres\.allow_plaintext .*Bind to 127/,
    );
  assert.match(await logIn('0.0.0.0', { ...tls, ...required }), /^ok: passwords come inside TLS/);
  assert.match(
    await logIn('0.0.0.0', required),
    /^warning: Nobody can log in.* Set tls\.cert_file and tls\.key_file\. ?$/,
  );
  assert.match(
    await logIn('127.0.0.1', required),
    /^warning: Nobody can log in.*or postgres\.allow_plaintext/,
  );
  assert.match(await logIn('127.0.0.1'), /^ok: without TLS/);
});
