import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { shortJavaOptions } from '../../server/test/support/java.ts';
import { partsFolder } from '../../server/test/support/repository.ts';
import type { Program } from './run-client.ts';
import type { Address } from './sides.ts';

export interface Client {
  /** As the page and the list of differences call it. */
  readonly name: string;
  readonly program: (address: Address, skipped: readonly string[]) => Program;
}

const odbcLibraries = join(partsFolder, 'postgres-odbc', 'usr', 'lib', 'x86_64-linux-gnu');
const odbcDriver = join(odbcLibraries, 'odbc', 'psqlodbcw.so');
const folder = (name: string) => join(import.meta.dirname, name);

function python(name: string, file: string, env: Readonly<Record<string, string>> = {}): Client {
  return {
    name,
    program: (address, skip) => ({
      command: join(partsFolder, 'postgres-clients', 'bin', 'python'),
      words: [join(folder('python'), file), JSON.stringify({ ...address, skip, odbcDriver })],
      env,
    }),
  };
}

interface NodeOptions {
  /** The folder of `.parts` with the programs of PostgreSQL. */
  readonly programs?: string;
  /** What the client cannot do. */
  readonly without?: readonly string[];
}

function node(name: string, file: string, { programs = 'postgres', without = [] }: NodeOptions = {}): Client {
  const folders = { packages: join(partsFolder, 'postgres-node'), programs: join(partsFolder, programs) };
  return {
    name,
    program: (address, skipped) => ({
      command: process.execPath,
      words: [
        join(folder('node'), file),
        JSON.stringify({ ...address, skip: [...skipped, ...without], ...folders }),
      ],
    }),
  };
}

const tokioPostgres: Client = {
  name: 'tokio-postgres',
  program: (address, skip) => ({
    command: join(partsFolder, 'postgres-rust', 'clients'),
    words: [JSON.stringify({ ...address, skip })],
  }),
};

function go(name: string, word: string): Client {
  return {
    name,
    program: (address, skip) => ({
      command: join(partsFolder, 'postgres-go', 'clients'),
      words: [word, JSON.stringify({ ...address, skip })],
    }),
  };
}

function jar(): string {
  const found = join(partsFolder, 'pgjdbc');
  return join(found, readdirSync(found).find((file) => file.endsWith('.jar')) ?? '');
}

const pgjdbc: Client = {
  name: 'pgjdbc',
  program: (address, skip) => ({
    command: 'java',
    words: [
      ...shortJavaOptions,
      ...[
        '-Xmx256m',
        '-Dstdout.encoding=UTF-8',
        '-Dfile.encoding=UTF-8',
        '-Duser.timezone=UTC',
        '-cp',
        jar(),
      ],
      join(folder('pgjdbc'), 'Features.java'),
      ...[address.host, String(address.port), String(address.cutPort), address.user, address.password],
      ...[address.database, address.certificate, skip.join(',')],
    ],
  }),
};

/** Those that take longest first: two run at a time. */
export const clients: readonly Client[] = [
  pgjdbc,
  python('psycopg 3', 'psycopg3_features.py'),
  python('SQLAlchemy', 'sqlalchemy_features.py'),
  python('pandas, polars, ADBC', 'frames_features.py'),
  node('psql, pgbench', 'psql-features.ts'),
  // It was built without TLS.
  node('psql 18, pgbench 18', 'psql-features.ts', { programs: 'postgres-18', without: ['tls'] }),
  python('asyncpg', 'asyncpg_features.py'),
  python('psycopg2', 'psycopg2_features.py'),
  python('DuckDB', 'duckdb_features.py'),
  python('psqlodbc', 'odbc_features.py', { LD_LIBRARY_PATH: odbcLibraries }),
  node('node pg', 'pg-features.ts'),
  node('postgres.js', 'postgres-js-features.ts'),
  go('pgx', 'pgx'),
  go('lib/pq', 'lib-pq'),
  tokioPostgres,
];
