import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import tls from 'node:tls';
import { promisify } from 'node:util';
import pg from 'pg';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { frameholdToken, newToken } from '../../server/test/support/framehold-tokens.ts';
import { TestAuthority } from '../../server/test/support/test-authority.ts';

const run = promisify(execFile);
const authority = new TestAuthority();

let framehold: Framehold;
let port: string;
let token: string;

before(async () => {
  const files = authority.sign('/CN=127.0.0.1', 'IP:127.0.0.1,DNS:localhost');
  framehold = await Framehold.start({
    flags: [
      '--postgres-bind-address',
      '127.0.0.1:0',
      '--tls-cert-file',
      files.cert,
      '--tls-key-file',
      files.key,
    ],
  });
  port = framehold.postgresUrl.port;
  token = newToken(framehold.dataDirectory, 'ada', 'read');
  newToken(framehold.dataDirectory, 'bob', 'read');
});

after(() => framehold.stop());

interface Asked {
  readonly password?: string;
  readonly user?: string;
  readonly mode?: string;
}

/** What psql prints, errors included. */
async function psql({ password = token, user = 'framehold', mode = 'verify-ca' }: Asked): Promise<string> {
  const place = `host=127.0.0.1 port=${port} user=${user} dbname=any sslmode=${mode} sslrootcert=${authority.cert}`;
  const asked = run('psql', ['-X', '-At', '-w', '-c', 'select 42', place], {
    env: { PATH: process.env.PATH ?? '', PGPASSWORD: password },
  });
  const { stdout, stderr } = await asked.catch((failed: { stdout: string; stderr: string }) => failed);
  return stdout + stderr;
}

test('a token is the password inside TLS, with any user name that is no other tenant', async () => {
  assert.equal(await psql({}), '42\n');
  assert.equal(await psql({ user: 'ada' }), '42\n');
  assert.match(await psql({ user: 'bob' }), /FATAL: .*does not belong to the tenant "bob"/);
  assert.match(await psql({ password: 'guess' }), /FATAL: .*not one of this server/);
});

test('without TLS the connection is refused before a password is asked for', async () => {
  assert.match(await psql({ mode: 'disable', password: '' }), /FATAL: .*not encrypted/);
});

test('TLS from the first byte on needs the name of the protocol', async () => {
  const ca = readFileSync(authority.cert);
  const opened = (ALPNProtocols: string[]) =>
    new Promise<string>((resolve) => {
      const socket = tls.connect({ port: Number(port), host: '127.0.0.1', ca, ALPNProtocols });
      socket.on('secureConnect', () => {
        // A startup packet that says nothing of a user is answered, if anything is.
        socket.write(Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0]));
      });
      socket.on('data', (data) => resolve(data.toString('latin1', 0, 1)));
      socket.on('close', () => resolve('closed'));
      socket.on('error', () => resolve('closed'));
    });
  assert.equal(await opened(['postgresql']), 'E');
  assert.equal(await opened([]), 'closed');
  assert.equal(await opened(['h2']), 'closed');
});

test('a session whose token was revoked ends with its next statement', async () => {
  const revoked = newToken(framehold.dataDirectory, 'ada', 'read');
  const client = new pg.Client({
    host: '127.0.0.1',
    port: Number(port),
    user: 'ada',
    database: 'any',
    password: revoked,
    ssl: { ca: readFileSync(authority.cert) },
  });
  const ended: string[] = [];
  client.on('error', (error: Error & { readonly code?: string }) => ended.push(error.code ?? ''));
  await client.connect();
  assert.equal((await client.query('select 42 as n')).rows.length, 1);
  frameholdToken(framehold.dataDirectory, 'revoke', revoked);
  const code = await framehold.until('the end of the session', async () => {
    try {
      await client.query('select 42 as n');
      return null;
    } catch (error) {
      return (error as { readonly code?: string }).code ?? '';
    }
  });
  assert.equal(code, '28000');
});
