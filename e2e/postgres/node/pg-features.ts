/** node-postgres with pg-cursor. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ClientConfig, CustomTypesConfig, Client as PgClient, QueryArrayResult } from 'pg';
import {
  cut,
  everyValue,
  failure,
  few,
  insert,
  isolationLevels,
  nulls,
  ordered,
  run,
  server,
  shown,
  slow,
} from './features.ts';

const require = createRequire(join(server.packages ?? '', 'package.json'));
const { Client, Pool } = require('pg') as typeof import('pg');
// Its types need a package of their own.
interface PortionCursor {
  read(rows: number): Promise<unknown[]>;
  close(): Promise<void>;
}
const Cursor = require('pg-cursor') as new (text: string, values?: unknown[]) => PortionCursor;

const { host, port, user, password, database } = server;

async function connected<Answer>(
  use: (client: PgClient) => Promise<Answer>,
  more: ClientConfig = {},
): Promise<Answer> {
  const client = new Client({ host, port, user, password, database, ...more });
  client.on('error', () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

async function rowsOf(client: PgClient, text: string, values?: unknown[]): Promise<unknown> {
  const { rows } = (await client.query({
    text,
    rowMode: 'array',
    ...(values ? { values } : {}),
  })) as QueryArrayResult;
  return shown(rows);
}

const ask = (text: string, values?: unknown[], more: ClientConfig = {}) =>
  connected((client) => rowsOf(client, text, values), more);
const asText: CustomTypesConfig = { getTypeParser: () => (value: unknown) => value };

await run({
  'connect-plain': () => ask('select 1'),
  tls: () => ask('select 1', [], { ssl: { ca: readFileSync(server.certificate, 'utf8') } }),
  'wrong-password': () => failure(() => ask('select 1', [], { password: 'wrong' })),
  'types-in-text': async () => [await ask(everyValue), await ask(everyValue, undefined, { types: asText })],
  'types-in-binary': () =>
    connected(async (client) => {
      const text =
        'select flag, small, whole, large, single, precise, label, day, moment from every_type where id <> 3 order by id';
      const query = { text, rowMode: 'array', binary: true, types: asText };
      const { rows, fields } = (await client.query(query as never)) as unknown as QueryArrayResult;
      return [
        shown(rows),
        fields.map((field) => [field.name, field.dataTypeID, (field as { format?: string }).format]),
      ];
    }),
  nulls: () => ask(nulls),
  'parameters-in-text': () =>
    connected(async (client) => [
      await rowsOf(client, 'select id from trades where symbol = $1 and price > $2 and id < $3 order by id', [
        'ACME',
        150.5,
        60,
      ]),
      await rowsOf(client, 'select id from every_type where flag = $1 and label = $2', [true, 'plain']),
      await rowsOf(client, 'select id from every_type where data = $1', [Buffer.from('dead', 'hex')]),
      await rowsOf(client, 'select id from every_type where instant = $1', [
        new Date('2024-02-29T12:30:00Z'),
      ]),
      await rowsOf(client, 'select id from every_type where amount = $1', ['12345.6789']),
      await rowsOf(client, 'select id from trades where id = any($1) order by id', [[3, 1, 2]]),
      await rowsOf(client, 'select $1::text, $2::int4', [null, 5]),
    ]),
  prepared: () =>
    connected(async (client) => {
      const found: unknown[] = [];
      for (let n = 1; n <= 10; n++)
        found.push(
          (
            await client.query({
              name: 'by-id',
              text: 'select symbol from trades where id = $1',
              values: [n],
            })
          ).rows[0],
        );
      return found;
    }),
  'several-statements': () =>
    connected(async (client) => {
      const results = (await client.query(
        'select 1 as one; select symbol from trades where id = 1',
      )) as unknown as QueryArrayResult[];
      return results.map(({ command, rowCount, rows }) => [command, rowCount, shown(rows)]);
    }),
  portions: () =>
    connected(async (client) => {
      const cursor = client.query(new Cursor(ordered) as never) as unknown as PortionCursor;
      const sizes: number[] = [];
      for (;;) {
        const rows = await cursor.read(300);
        if (rows.length === 0) break;
        sizes.push(rows.length);
      }
      const early = client.query(
        new Cursor('select id from trades where id > $1 order by id', [5]) as never,
      ) as unknown as PortionCursor;
      const first = await early.read(3);
      await early.close();
      return [sizes, shown(first), await rowsOf(client, 'select 1')];
    }),
  transactions: () =>
    connected(async (client) => {
      const found: unknown[] = [];
      for (const level of isolationLevels) {
        await client.query(`begin isolation level ${level} read only`);
        found.push(await rowsOf(client, 'show transaction_isolation'));
        await client.query('commit');
      }
      return found;
    }),
  savepoints: () =>
    connected(async (client) => {
      await client.query('begin');
      await client.query('savepoint one');
      const first = await failure(() => client.query('select nope from trades'));
      await client.query('rollback to savepoint one');
      const rows = await rowsOf(client, 'select 1');
      await client.query('release savepoint one');
      return [first, rows, (await client.query('commit')).command];
    }),
  'failed-transaction': () =>
    connected(async (client) => {
      await client.query('begin');
      const first = await failure(() => client.query('select nope from trades'));
      const second = await failure(() => client.query('select 1'));
      return [first, second, (await client.query('commit')).command, await rowsOf(client, 'select 1')];
    }),
  errors: () =>
    connected(async (client) => {
      const found: unknown[] = [];
      for (const text of ['select symbo from trades', 'select * from nowhere', 'selec 1'])
        await client.query(text).catch((error) => found.push([error.code, error.severity, error.position]));
      return found;
    }),
  'writes-are-refused': () =>
    connected(async (client) => [
      await failure(() => client.query(insert)),
      await failure(() => client.query('insert into trades (id) values ($1)', [5])),
    ]),
  'statement-timeout': () => failure(() => ask(slow, undefined, { statement_timeout: 300 })),
  'empty-query': () =>
    connected(async (client) => {
      const { command, rowCount, rows } = await client.query('');
      return [command, rowCount, rows];
    }),
  settings: () =>
    connected(
      async (client) => [
        await rowsOf(client, 'show application_name'),
        await rowsOf(client, 'show client_encoding'),
      ],
      {
        application_name: 'framehold tests',
      },
    ),
  notices: () =>
    connected(async (client) => {
      const found: unknown[] = [];
      client.on('notice', (notice) => found.push([notice.severity, notice.code]));
      await client.query('commit');
      return found;
    }),
  metadata: () =>
    connected(async (client) =>
      (await client.query(everyValue)).fields.map((field) => [
        field.name,
        field.dataTypeID,
        field.dataTypeModifier,
      ]),
    ),
  pool: async () => {
    const pool = new Pool({ host, port, user, password, database, max: 3 });
    const found = await Promise.all(
      Array.from({ length: 10 }, (_, n) => pool.query('select symbol from trades where id = $1', [n])),
    );
    await pool.end();
    return found.map(({ rows }) => rows);
  },
  reconnect: async () => {
    const lost = await connected(
      (client) =>
        client.query(cut).then(
          () => 'answered',
          () => 'lost',
        ),
      { port: server.cutPort },
    );
    return [lost, await ask(few)];
  },
});
