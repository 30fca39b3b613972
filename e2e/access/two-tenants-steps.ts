import fc from 'fast-check';
import { curiousTexts, readingTexts } from './two-tenants-postgres.ts';

/** The names that a tenant uses: two of its own, which have its marker in them, and two that the other one uses as well. */
export function namesOf(marker: string): readonly string[] {
  return [`${marker}_one`, `${marker}_two`, 'common', 'twin'];
}

/** Names that nobody has, near ones of the tenant and of the other one: errors suggest names that may have been meant. */
const nearNames = (marker: string) => [`${marker}_on`, `${marker}_twoo`, 'commom', 'COMMON', 'Twin', 'twins'];

/** How somebody would write a frame of the other tenant. */
export function foreignHandles(other: string): readonly string[] {
  const prefixed = namesOf(other).flatMap((name) => [`${other}:${name}`, `${other}:${name}@1`]);
  return [...prefixed, `${other}:${other}_twoo`, `${other}:COMMON`, ...namesOf(other).slice(0, 2)];
}

/** Statements that say nothing of frames: what the engine reveals about itself and its environment. */
const curiousStatements = [
  'select * from information_schema.tables',
  'select * from information_schema.columns',
  'select * from duckdb_tables()',
  'select * from duckdb_databases()',
  'select * from duckdb_settings()',
  'select * from duckdb_temporary_files()',
  'select * from duckdb_views()',
  'select * from pg_catalog.pg_tables',
  'select * from sqlite_master',
  'show tables',
  'show all tables',
  'pragma database_list',
  "select * from glob('**')",
  "select * from read_parquet('**/*.parquet', filename = true)",
  "select * from read_text('/proc/self/environ')",
  "select getenv('HOME')",
  "select current_setting('temp_directory')",
  "select current_setting('allowed_paths')",
  'select current_database(), current_schema(), current_user',
  "select * from query('show tables')",
  "select * from query_table('common')",
  'select 1; select 2',
  "attach 'catalog.sqlite'",
  'select * from analytics.main.anything',
  "select * from tsdb('select 1')",
];

/** In `$own` and `$near` a name is put, in `$column` a column of the tenant. Rows are in an order, so that they can be compared. */
const readingStatements = [
  'select count(*) as n from "$own"',
  'select * from "$own" order by all limit 2',
  'select "$column", count(*) from "$own" group by all order by all',
  'select max("$column") from "$own@2"',
  'select count(*) from "$near"',
  'select * from "$near@1"',
  'select no_such_column from "$own"',
  'select "$column"::integer from "$own"',
  'describe "$own"',
  'explain select * from "$own" where "$column" is not null',
  'explain analyze select count(*) from "$own"',
  'select a."$column" from "$own" a join "$near" b using ("$column") order by all limit 3',
  'select * from framehold.main."$own" limit 1',
  'select * from main."$near"',
];

const changingStatements = [
  'create table "$own" as select 1 as n, \'$column\' as "$column"',
  'create or replace table "$own" as select * from "$near"',
  'create or replace table "$own" as select 2::bigint as n, \'$column\' as "$column"',
  'create table if not exists "$own" as select * from range(7)',
  'create table "$own" (n bigint, "$column" varchar)',
  'create or replace table "$own" ("$column" decimal(9, 2), x struct(y integer[]))',
  'insert into "$own" values (3, \'$column\')',
  'insert into "$own" select * from "$own" limit 1',
  'insert into "$near" values (1)',
  'insert into "$own" values (1, 2, 3)',
  'drop table "$own"',
  'drop table if exists "$near"',
  'drop table "$own@1"',
];

const name = fc.integer({ min: 0, max: 3 });
const near = fc.integer({ min: 0, max: 9 });
/** The newest one, mostly. */
const version = fc.constantFrom(null, null, null, 1, 2, 3, 9);
const foreign = fc.integer({ min: 0, max: foreignHandles('x').length - 1 });

function step<Op extends string, Fields extends Record<string, unknown>>(
  weight: number,
  op: Op,
  fields: { readonly [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
) {
  return {
    weight,
    arbitrary: fc.record({ op: fc.constant(op), ...fields }) as unknown as fc.Arbitrary<
      { readonly op: Op } & Readonly<Fields>
    >,
  };
}

/** What a tenant does next, as data: which names and statements it means depends on the tenant. */
export const anyStep = fc.oneof(
  step(26, 'put', {
    name,
    size: fc.integer({ min: 1, max: 3 }),
    mode: fc.constantFrom('replace' as const, 'replace' as const, 'create' as const, 'append' as const),
    otherColumns: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
    key: fc.constantFrom(null, null, null, null, null, null, 'key-1', 'key-2'),
    ttl: fc.constantFrom(null, null, null, '1d', '30d'),
  }),
  step(12, 'read', {
    name,
    version,
    route: fc.constantFrom('exec' as const, 'exp' as const, 'rows' as const),
    format: fc.constantFrom('json', 'csv', 'ndjson', 'arrow', 'parquet'),
    limit: fc.option(fc.integer({ min: 0, max: 3 })),
  }),
  step(5, 'manifest', { name, version, head: fc.boolean() }),
  step(4, 'near', { near, flight: fc.boolean() }),
  step(5, 'list', { prefix: fc.integer({ min: 0, max: 3 }), limit: fc.integer({ min: 1, max: 3 }) }),
  step(3, 'versions', { name, flight: fc.boolean() }),
  step(3, 'analysis', { name, version }),
  step(4, 'drop', { name, version, guarded: fc.boolean(), purge: fc.boolean() }),
  step(3, 'undrop', { name, flight: fc.boolean() }),
  step(3, 'restore', { name, version: fc.integer({ min: 1, max: 3 }), flight: fc.boolean() }),
  step(3, 'expire', { name, ttl: fc.constantFrom('1d', '2d', null), flight: fc.boolean() }),
  step(14, 'sql', {
    statement: fc.constantFrom(...readingStatements),
    name,
    near,
    post: fc.boolean(),
  }),
  step(9, 'change', { statement: fc.constantFrom(...changingStatements), name, near, flight: fc.boolean() }),
  step(6, 'curious', { statement: fc.constantFrom(...curiousStatements) }),
  step(3, 'running', { id: fc.constantFrom('same-id', 'other-id') }),
  step(4, 'flight', {
    verb: fc.constantFrom('ListFlights' as const, 'GetFlightInfo' as const, 'DoGet' as const),
    name,
  }),
  step(3, 'tables', { includeSchema: fc.boolean() }),
  step(4, 'prepared', { statement: fc.constantFrom(...readingStatements.slice(0, 3)), name }),
  step(6, 'kept', {
    name,
    what: fc.constantFrom(
      'save' as const,
      'saved' as const,
      'remove' as const,
      'history' as const,
      'clear' as const,
      'status' as const,
    ),
  }),
  step(12, 'postgres', {
    text: fc.constantFrom(...curiousTexts, ...readingTexts),
    name,
    near,
    foreign,
    isExtended: fc.boolean(),
  }),
  step(3, 'metrics', {}),
  step(4, 'events', {}),
  step(2, 'sharing', {
    name,
    what: fc.constantFrom('shared', 'shares', 'link', 'links', 'unlink', 'tag', 'tags'),
  }),
  step(22, 'trespass', { foreign, how: fc.nat(), own: name }),
  step(10, 'loot', { how: fc.nat(), own: name }),
);
export type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

export function nearName(marker: string, other: string, index: number): string {
  const names = [...nearNames(marker), ...nearNames(other).slice(0, 2)];
  return names[index % names.length] ?? '';
}

/** Whether the step writes the other tenant's marker itself: then an answer may repeat it. */
export function writesForeign(step: Step, nearText: (index: number) => string, other: string): boolean {
  if (step.op === 'trespass' || step.op === 'loot') return true;
  if (step.op === 'postgres' && step.text.includes('$foreign')) return true;
  // It repeats what the tenant has written in earlier steps.
  if (step.op === 'kept' && step.what === 'history') return true;
  const { near: index } = step as { readonly near?: number };
  return index !== undefined && nearText(index).includes(other);
}
