import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { PostgresServer } from '../../server/test/support/postgres-server.ts';
import { runPython } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { TestAuthority } from '../../server/test/support/test-authority.ts';
import { ConnectionCutter } from './connection-cutter.ts';

/** Where a client finds a server, and as whom. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** The same server, which seems to go away: see `ConnectionCutter`. */
  readonly cutPort: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The file of the authority that has signed the server's certificate. */
  readonly certificate: string;
}

export interface Side extends AsyncDisposable {
  readonly name: 'PostgreSQL' | 'Framehold';
  readonly address: Address;
}

const tables = readFileSync(join(import.meta.dirname, 'tables.sql'), 'utf8');
const nobody = 65_534;
const password = 'a-password-of-the-tests';

/** A PostgreSQL 15 with TLS and the tables of `tables.sql`. Its user may only read, as everybody may through Framehold's listener. */
export async function startPostgres(): Promise<Side> {
  const authority = new TestAuthority();
  const files = authority.sign('/CN=localhost', 'IP:127.0.0.1,DNS:localhost');
  // Who asks for the password in plain text shows what a client does that has to send a token.
  const hba = join(authority.folder, 'pg_hba.conf');
  writeFileSync(hba, 'host all framehold 127.0.0.1/32 trust\nhost all reader 127.0.0.1/32 password\n');
  chmodSync(authority.folder, 0o755);
  chmodSync(files.key, 0o600);
  if (process.getuid?.() === 0)
    for (const file of [hba, files.key, files.cert]) chownSync(file, nobody, nobody);
  const server = await PostgresServer.start({
    settings: [
      `hba_file=${hba}`,
      'ssl=on',
      `ssl_cert_file=${files.cert}`,
      `ssl_key_file=${files.key}`,
      'timezone=UTC',
      'log_statement=none',
    ],
  });
  await server.query('CREATE DATABASE framehold');
  const url = server.urlOf('framehold');
  await server.query(tables, url);
  await server.query(
    `CREATE ROLE reader LOGIN PASSWORD '${password}';
     ALTER ROLE reader SET default_transaction_read_only = on;
     GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader`,
    url,
  );
  const cutter = await ConnectionCutter.start(server.port);
  return {
    name: 'PostgreSQL',
    address: {
      host: '127.0.0.1',
      port: server.port,
      cutPort: cutter.port,
      user: 'reader',
      password,
      database: 'framehold',
      certificate: authority.cert,
    },
    [Symbol.asyncDispose]: async () => {
      await cutter[Symbol.asyncDispose]();
      await server.stop();
    },
  };
}

/** A Framehold with the same tables, put as Arrow, whose user has a token that may only read. */
export async function startFramehold(): Promise<Side> {
  const authority = new TestAuthority();
  const files = authority.sign('/CN=localhost', 'IP:127.0.0.1,DNS:localhost');
  const framehold = await Framehold.start();
  const folder = temporaryFolder('tables');
  await runPython([join(import.meta.dirname, 'python', 'tables.py'), folder], null);
  for (const file of readdirSync(folder)) {
    const answer = await fetch(`${framehold.url}/v1/frames/${basename(file, '.arrows')}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/vnd.apache.arrow.stream' },
      body: readFileSync(join(folder, file)),
    });
    if (!answer.ok) throw new Error(`${file}: ${answer.status} ${await answer.text()}`);
  }
  removeFolder(folder);
  for (const [sql] of tables.matchAll(/^COMMENT ON .*$/gm)) {
    const answer = await fetch(`${framehold.url}/v1/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql }),
    });
    if (!answer.ok) throw new Error(`${sql}: ${answer.status} ${await answer.text()}`);
  }
  await framehold.stop();
  // The other listeners get TLS, too: the tables are put before.
  const token = newToken(framehold.dataDirectory, 'default', 'read');
  await framehold.start({
    FRAMEHOLD_TLS_CERT_FILE: files.cert,
    FRAMEHOLD_TLS_KEY_FILE: files.key,
    FRAMEHOLD_POSTGRES_BIND_ADDRESS: '127.0.0.1:0',
    FRAMEHOLD_POSTGRES_ALLOW_PLAINTEXT: 'true',
  });
  const ready = JSON.parse(readFileSync(join(framehold.home, 'ready.json'), 'utf8')) as {
    readonly postgres?: string;
  };
  if (ready.postgres === undefined) throw new Error('the ready file names no listener for PostgreSQL');
  const port = Number(new URL(ready.postgres).port);
  const cutter = await ConnectionCutter.start(port);
  return {
    name: 'Framehold',
    address: {
      host: '127.0.0.1',
      port,
      cutPort: cutter.port,
      user: 'reader',
      password: token,
      database: 'framehold',
      certificate: authority.cert,
    },
    [Symbol.asyncDispose]: async () => {
      await cutter[Symbol.asyncDispose]();
      await framehold.remove();
    },
  };
}
