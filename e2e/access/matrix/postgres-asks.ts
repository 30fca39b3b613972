import { type Ask, commonFrame } from './cells.ts';

/** What a client of PostgreSQL's protocol sends, one after the other over one connection. The first that is refused is the answer. */
export type PostgresHow = (handle: string) => readonly (string | PreparedText)[];

interface PreparedText {
  readonly text: string;
  readonly values?: readonly unknown[];
}

type PostgresAsk = Ask<PostgresHow>;

const reading = [['sql.query'], ['frame.describe', 'frame']] as const;
const listing = [['sql.query'], ['frame.list']] as const;

function ask(
  title: string,
  needs: PostgresAsk['needs'],
  how: PostgresHow,
  options: Pick<PostgresAsk, 'answer'> = {},
): PostgresAsk {
  return { title, needs, how, ...options };
}

/** Nothing is changed over this protocol: that is said to whoever has logged in, before anything is looked at. */
function change(title: string, text: (handle: string) => string): PostgresAsk {
  return ask(title, [], (handle) => [text(handle)], { answer: 'sql_refused' });
}

export const postgresAsks: readonly PostgresAsk[] = [
  ask('query', reading, (handle) => [`select * from "${handle}" limit 1`]),
  ask('query with a parameter', reading, (handle) => [
    { text: `select * from "${handle}" where 1 = $1::int`, values: [1] },
  ]),
  ask('prepared query', reading, (handle) => [`prepare p as select * from "${handle}"`, 'execute p']),
  ask('explain', [['sql.explain'], ['frame.describe', 'frame']], (handle) => [
    `explain select * from "${handle}"`,
  ]),
  ask('cursor', reading, (handle) => [
    'begin',
    `declare c cursor for select * from "${handle}"`,
    'fetch all from c',
  ]),
  ask('copy of a frame', reading, (handle) => [`copy "${handle}" to stdout`]),
  ask('copy of a query', reading, (handle) => [`copy (select * from "${handle}") to stdout (format csv)`]),
  ask('tsdb', [['sql.query'], ['tsdb.query']], () => ["select * from tsdb('select 1 n')"]),
  ask('catalogs', listing, () => [`select oid from pg_class where relname = '${commonFrame}'`]),
  ask('information schema', listing, () => ['select table_name from information_schema.tables']),
  change('create', (handle) => `create table "${handle}" as select 1 as n`),
  change('insert', (handle) => `insert into "${handle}" values ('x')`),
  change('drop', (handle) => `drop table "${handle}"`),
];
