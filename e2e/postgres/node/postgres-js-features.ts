/** postgres.js: named statements, and portions with an unnamed portal. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  cut,
  everyValue,
  failure,
  few,
  insert,
  nulls,
  ordered,
  run,
  server,
  shown,
  slow,
} from './features.ts';

const require = createRequire(join(server.packages ?? '', 'package.json'));

// Its types come with the package, which is not one of the project's: here is what the features use.
interface Query extends Promise<readonly unknown[]> {
  cancel(): void;
  cursor(rows: number): AsyncIterable<readonly Record<string, unknown>[]>;
  values(): Promise<readonly unknown[]>;
  simple(): Query;
}
interface Sql {
  (parts: TemplateStringsArray, ...values: unknown[]): Query;
  unsafe(text: string, values?: unknown[]): Query;
  begin<Answer>(
    options: string,
    use: (
      sql: Sql & { savepoint<Inner>(use: (sql: Sql) => Promise<Inner>): Promise<Inner> },
    ) => Promise<Answer>,
  ): Promise<Answer>;
  end(options: { timeout: number }): Promise<void>;
}
const postgres = require('postgres') as (options: Readonly<Record<string, unknown>>) => Sql;
const { host, port, user, password, database } = server;

async function connected<Answer>(
  use: (sql: Sql) => Promise<Answer>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const sql = postgres({ host, port, user, password, database, max: 1, onnotice: () => {}, ...more });
  try {
    return await use(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const ask = (text: string, more: Readonly<Record<string, unknown>> = {}) =>
  connected(async (sql) => shown(await sql.unsafe(text, []).values()), more);

await run({
  'connect-plain': () => ask('select 1'),
  tls: () => ask('select 1', { ssl: { ca: readFileSync(server.certificate, 'utf8') } }),
  'wrong-password': () => failure(() => ask('select 1', { password: 'wrong' })),
  'types-in-text': () => ask(everyValue),
  nulls: () => ask(nulls),
  'parameters-in-text': () =>
    connected(async (sql) =>
      shown([
        [
          ...(await sql`select id from trades where symbol = ${'ACME'} and price > ${150.5} and id < ${60} order by id`),
        ],
        [...(await sql`select id from every_type where flag = ${true} and label = ${'plain'}`)],
        [...(await sql`select id from every_type where data = ${Buffer.from('dead', 'hex')}`)],
        [...(await sql`select id from every_type where instant = ${new Date('2024-02-29T12:30:00Z')}`)],
        [...(await sql`select id from trades where id = any(${[3, 1, 2]}) order by id`)],
        [...(await sql`select ${null}::text as a, ${5}::int4 as b`)],
      ]),
    ),
  prepared: () =>
    connected(async (sql) => {
      const found: unknown[] = [];
      for (let n = 1; n <= 10; n++)
        found.push(...(await sql`select symbol from trades where id = ${n}`.values()));
      return found;
    }),
  'several-statements': () =>
    connected(async (sql) => shown(await sql.unsafe('select 1 as one; select 2 as two').simple())),
  portions: () =>
    connected(async (sql) => {
      const sizes: number[] = [];
      for await (const rows of sql.unsafe(ordered, []).cursor(300)) sizes.push(rows.length);
      const early: unknown[] = [];
      for await (const rows of sql.unsafe(ordered, []).cursor(3)) {
        early.push(rows.map((row) => shown(row.id)));
        break;
      }
      return [sizes, early, shown(await sql`select 1`.values())];
    }),
  pipeline: () =>
    connected(async (sql) =>
      Promise.all(
        Array.from({ length: 20 }, (_, n) => sql`select symbol from trades where id = ${n + 1}`.values()),
      ),
    ),
  transactions: () =>
    connected((sql) =>
      sql.begin('isolation level repeatable read read only', async (inner) =>
        shown(await inner`show transaction_isolation`.values()),
      ),
    ),
  savepoints: () =>
    connected((sql) =>
      sql.begin('read only', async (outer) => {
        const first = await failure(() =>
          outer.savepoint(async (inner) => await inner`select nope from trades`),
        );
        return [first, shown(await outer`select 1`.values())];
      }),
    ),
  errors: () =>
    connected(async (sql) => {
      const found: unknown[] = [];
      for (const text of ['select symbo from trades', 'select * from nowhere', 'selec 1'])
        await sql.unsafe(text, []).then(
          () => found.push('no error'),
          (error) => found.push([error.code, error.severity, error.position]),
        );
      return found;
    }),
  'writes-are-refused': () => failure(() => ask(insert)),
  cancel: () =>
    connected(async (sql) => {
      const query = sql.unsafe(slow, []);
      const timer = setTimeout(() => query.cancel(), 500);
      const state = await failure(() => query);
      clearTimeout(timer);
      return [state, shown(await sql`select 1`.values())];
    }),
  // Its own question about types would have the same limit, and an end of that one ends this program, with PostgreSQL as well.
  'statement-timeout': () =>
    failure(() => ask(slow, { connection: { statement_timeout: 300 }, fetch_types: false })),
  settings: () => ask('show application_name', { connection: { application_name: 'framehold tests' } }),
  notices: async () => {
    const found: unknown[] = [];
    const onnotice = (notice: Record<string, unknown>) => found.push([notice.severity, notice.code]);
    await connected((sql) => sql.unsafe('commit').simple(), { onnotice });
    return found;
  },
  'empty-query': () => connected(async (sql) => shown(await sql.unsafe('').simple())),
  reconnect: () =>
    connected(
      async (sql) => {
        const lost = await failure(() => sql.unsafe(cut).simple());
        return [lost, shown(await sql.unsafe(few, []).values())];
      },
      { port: server.cutPort },
    ),
});
