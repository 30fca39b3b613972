/** Who may do what over PostgreSQL's protocol: every kind of credential, its end, its scopes, and what is seen of another tenant. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import tls from 'node:tls';
import pg from 'pg';
import { type AuditLine, auditLines } from '../../server/test/support/audit-lines.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { PlainClient } from '../../server/test/support/plain-request.ts';
import { partsFolder } from '../../server/test/support/repository.ts';
import { TestAuthority } from '../../server/test/support/test-authority.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';
import { TestIssuer } from '../../server/test/support/test-issuer.ts';

const authority = new TestAuthority();
const server = authority.signServer();
const notebook = authority.sign('/CN=notebook');
const stranger = new TestAuthority('Somebody else').sign('/CN=notebook');
const ca = readFileSync(authority.cert);
const issuer = new TestIssuer();
/** The same name, other keys. */
const impostor = new TestIssuer();

let framehold: Framehold;
let credentials: TestCredentials;
let http: PlainClient;
let tokens: Record<'ada' | 'bob' | 'metrics' | 'operator', string>;

before(async () => {
  await Promise.all([issuer.start(), impostor.start()]);
  framehold = await Framehold.start({
    env: {
      FRAMEHOLD_POSTGRES_BIND_ADDRESS: '127.0.0.1:0',
      FRAMEHOLD_TLS_CERT_FILE: server.cert,
      FRAMEHOLD_TLS_KEY_FILE: server.key,
      FRAMEHOLD_TLS_CLIENT_CA_FILE: authority.cert,
      FRAMEHOLD_TLS_RELOAD_MS: '100',
      FRAMEHOLD_AUTH_JWT_ISSUER: issuer.name,
      FRAMEHOLD_AUTH_JWT_AUDIENCE: 'framehold',
      FRAMEHOLD_AUTH_JWT_KEYS_URL: issuer.keysUrl,
    },
  });
  credentials = new TestCredentials(framehold.dataDirectory);
  http = new PlainClient(framehold.url, { ca });
  tokens = {
    ada: credentials.create({ tenant: 'ada', scopes: ['write'], name: 'ada' }),
    bob: credentials.create({ tenant: 'bob', scopes: ['write'], name: 'loader' }),
    metrics: credentials.create({ tenant: 'bob', scopes: ['metrics'], name: 'scraper' }),
    operator: credentials.create({ tenant: '', scopes: ['operator'], name: 'ops' }),
  };
  credentials.create({ tenant: 'bob', scopes: ['read'], certificate: 'CN:notebook' });
  await put('ada', 'hidden_of_ada', 'secret_column\n1\n');
  await put('bob', 'own', 'n\n1\n2\n');
});
after(async () => {
  credentials[Symbol.dispose]();
  http[Symbol.dispose]();
  await Promise.all([framehold.remove(), issuer.stop(), impostor.stop()]);
});

async function put(who: 'ada' | 'bob', name: string, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${tokens[who]}`, 'content-type': 'text/csv' };
  const { status } = await http.ask(`/v1/frames/${name}`, {
    method: 'PUT',
    headers,
    body: Buffer.from(body),
  });
  assert.equal(status, 201);
}

interface Credential {
  readonly password?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
}

function clientOf({ password = '', certificate }: Credential): pg.Client {
  const own =
    certificate === undefined
      ? {}
      : { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) };
  const client = new pg.Client({
    host: '127.0.0.1',
    port: Number(framehold.postgresUrl.port),
    user: 'framehold',
    database: 'any',
    password,
    ssl: { ca, ...own },
  });
  client.on('error', () => {});
  return client;
}

/** Rows, or the SQLSTATE and the texts of the refusal, as one text. */
async function answer(client: pg.Client, sql: string): Promise<string> {
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return JSON.stringify(rows);
  } catch (thrown) {
    const { code, message, detail = '', hint = '' } = thrown as pg.DatabaseError;
    return [code, message, detail, hint].join(' | ');
  }
}

/** What a client with this credential is told when it connects, or else of a statement. */
async function answerFor(credential: Credential, sql = 'select sum(n) from own'): Promise<string> {
  const client = clientOf(credential);
  try {
    await client.connect();
    return await answer(client, sql);
  } catch (thrown) {
    return String((thrown as pg.DatabaseError).code);
  } finally {
    await client.end();
  }
}

async function auditLine(from: number, matches: (line: AuditLine) => boolean): Promise<AuditLine> {
  return await framehold.until(
    'a line of the audit log',
    () => auditLines(framehold.lines.slice(from)).find(matches) ?? null,
  );
}

test('a JSON Web Token is a password', async () => {
  const claims = { tenant: 'bob', scope: 'read' };
  assert.equal(await answerFor({ password: await issuer.token(claims) }), '[["3"]]');
  assert.equal(await answerFor({ password: await impostor.token(claims) }), '28P01');
  assert.equal(await answerFor({ password: await issuer.token(claims, { expiresIn: -60 }) }), '28P01');
});

test('a client certificate needs no password, unless another authority has signed it', async () => {
  assert.equal(await answerFor({ certificate: notebook }), '[["3"]]');
  assert.equal(await answerFor({ certificate: stranger, password: 'guess' }), '28P01');
});

test('links, operators and guesses are refused, and the audit log says whom', async () => {
  const headers = { authorization: `Bearer ${tokens.bob}` };
  const made = await http.ask('/v1/frames/own/links?ttl=1h', { method: 'POST', headers });
  const [link = ''] = /fhl_[\w.-]+/.exec(made.body.toString()) ?? [];
  for (const [password, code, tenant, caller] of [
    [link, '28000', 'bob', 'link'],
    [tokens.operator, '28000', null, 'ops'],
    ['guess', '28P01', null, null],
  ] as const) {
    const from = framehold.lines.length;
    assert.equal(await answerFor({ password }), code);
    const line = await auditLine(from, (each) => each.action === 'enter' && each.caller === caller);
    assert.deepEqual([line.outcome, line.reason, line.tenant], ['refused', 'unauthenticated', tenant]);
  }
});

test('a scope that does not read reads nothing, not even the catalogs; no scope changes anything', async () => {
  for (const sql of [
    'select * from own',
    'copy own to stdout',
    'explain select * from own',
    'select relname from pg_class',
    'select table_name from information_schema.tables',
  ]) {
    const from = framehold.lines.length;
    assert.match(await answerFor({ password: tokens.metrics }, sql), /^42501 /, sql);
    const line = await auditLine(from, ({ caller }) => caller === 'scraper');
    assert.deepEqual([line.outcome, line.reason, line.tenant], ['refused', 'access_denied', 'bob'], sql);
  }
  const from = framehold.lines.length;
  assert.match(await answerFor({ password: tokens.bob }, 'insert into own values (3)'), /^25006 /);
  const line = await auditLine(from, ({ action }) => action === 'sql.insert');
  assert.deepEqual([line.outcome, line.tenant, line.caller], ['refused', 'bob', 'loader']);
});

test('nothing of another tenant is seen, in rows, catalogs or errors', async () => {
  const client = clientOf({ password: tokens.bob });
  await client.connect();
  try {
    for (const sql of ['select relname from pg_class', 'select table_name from information_schema.tables'])
      assert.match(await answer(client, sql), /\["own"\]/, 'its own frames are there');
    for (const sql of [
      'select relname from pg_class',
      'select attname from pg_attribute',
      'select nspname from pg_namespace',
      'select rolname from pg_roles',
      'select datname from pg_database',
      'select * from pg_tables',
      'select * from information_schema.tables',
      'select * from information_schema.columns',
      'select * from information_schema.schemata',
      'select * from hidden_of_ad',
      "select 'hidden_of_ad'::regclass",
    ])
      assert.doesNotMatch(await answer(client, sql), /hidden_of_ada|secret_column|"ada"/, sql);
    // A name that somebody else has is answered as one that nobody has.
    for (const sql of [
      'select * from hidden_of_ada',
      'select secret_column from hidden_of_ada',
      'select * from "ada:hidden_of_ada"',
      'select * from ada.hidden_of_ada',
      'copy hidden_of_ada to stdout',
      'insert into hidden_of_ada values (1)',
      'drop table hidden_of_ada',
      "select 'hidden_of_ada'::regclass",
      "select to_regclass('hidden_of_ada')",
      "select oid from pg_class where relname = 'hidden_of_ada'",
      "select has_table_privilege('hidden_of_ada', 'select')",
    ]) {
      const theirs = await answer(client, sql);
      const nobodys = await answer(client, sql.replaceAll('ada', 'eve'));
      assert.equal(theirs.replaceAll('ada', 'eve'), nobodys, sql);
    }
  } finally {
    await client.end();
  }
});

test('a revoked token: what runs goes on to its end, and the next message ends the session', async () => {
  const rows = 3_000_000;
  const token = credentials.create({ tenant: 'bob', scopes: ['read'], name: 'leaver' });
  const idle = clientOf({ password: token });
  await idle.connect();
  await idle.query('begin');
  await idle.query('declare c cursor for select range from range(10)');
  assert.equal((await idle.query('fetch 1 from c')).rowCount, 1);
  const place = `host=127.0.0.1 port=${framehold.postgresUrl.port} user=bob dbname=any sslmode=verify-ca sslrootcert=${authority.cert}`;
  const copy = `copy (select range from range(${rows})) to stdout`;
  const psql = spawn(join(partsFolder, 'postgres', 'psql'), ['-X', '-w', '-c', copy, place], {
    env: { PATH: process.env.PATH ?? '', PGPASSWORD: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Nobody reads on: the statement cannot end before the token does.
  const [first] = (await once(psql.stdout, 'data')) as [Buffer];
  psql.stdout.pause();
  credentials.revoke(token);
  const revokedAt = performance.now();
  await framehold.until('the end of the token', async () =>
    (await answerFor({ password: token })) === '28P01' ? true : null,
  );
  const code = await framehold.until('the end of the session', async () => {
    const told = await answer(idle, 'fetch 1 from c');
    return /^28/.test(told) ? told.slice(0, 5) : null;
  });
  assert.equal(code, '28000');
  // What is known of a session is asked again every second. The rest is for a busy machine.
  assert.ok(performance.now() - revokedAt < 10_000);
  let lines = first.toString('latin1').split('\n').length - 1;
  psql.stdout.on('data', (chunk: Buffer) => {
    lines += chunk.toString('latin1').split('\n').length - 1;
  });
  psql.stdout.resume();
  const [ended] = await once(psql, 'close');
  assert.deepEqual([ended, lines], [0, rows]);
  await idle.end();
});

function shownSerial(): Promise<string> {
  const port = Number(framehold.postgresUrl.port);
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['postgresql'] });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
  });
}

test('a renewed certificate counts for new connections, and open ones stay', async () => {
  const open = clientOf({ password: tokens.bob });
  await open.connect();
  const before = await shownSerial();
  authority.signServer(server);
  await framehold.until('new certificate', async () => ((await shownSerial()) === before ? null : true));
  assert.equal(await answer(open, 'select sum(n) from own'), '[["3"]]');
  assert.equal(await answerFor({ password: tokens.bob }), '[["3"]]');
  await open.end();
});
