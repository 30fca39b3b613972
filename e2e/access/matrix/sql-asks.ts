import { type Ask, untouched, withoutRows } from './cells.ts';

/** What a client of Flight SQL has to do, in words that `access/matrix/matrix_adbc.py` and `jdbc/MatrixCells.java` know. */
export interface SqlHow {
  readonly kind: string;
  readonly text: string;
}

type SqlAsk = Ask<(handle: string) => SqlHow>;
type Options = Omit<SqlAsk, 'title' | 'needs' | 'how'>;

const reading = [['sql.query'], ['frame.describe', 'frame']] as const;
const own = { foreign: 'bad_handle' } as const;
const made = { ...own, makes: true, leaves: untouched } as const;
const grown = { ...own, leaves: '2 version, 2 rows' } as const;

function ask(
  title: string,
  kind: string,
  needs: SqlAsk['needs'],
  text: (handle: string) => string,
  options: Options = {},
): SqlAsk {
  return { title, needs, how: (handle) => ({ kind, text: text(handle) }), ...options };
}

/** Every kind of statement, which every client can send. */
const statements: readonly SqlAsk[] = [
  ask('query', 'query', reading, (handle) => `select * from "${handle}" limit 1`),
  ask(
    'explain',
    'query',
    [['sql.explain'], ['frame.describe', 'frame']],
    (handle) => `explain select * from "${handle}"`,
  ),
  ask('tsdb', 'query', [['sql.query'], ['tsdb.query']], () => "select * from tsdb('select 1 n')"),
  ask('prepared query', 'prepare', reading, (handle) => `select * from "${handle}" limit 2`),
  ask(
    'create',
    'update',
    [['sql.create'], ['frame.put', 'frame']],
    (handle) => `create table "${handle}" as select 1 as n`,
    made,
  ),
  ask(
    'create of columns',
    'update',
    [['sql.create'], ['frame.put', 'frame']],
    (handle) => `create table "${handle}" (n integer)`,
    { ...made, leaves: withoutRows },
  ),
  ask(
    'insert',
    'update',
    [['sql.insert'], ['frame.append', 'frame']],
    (handle) => `insert into "${handle}" values ('x')`,
    grown,
  ),
  ask(
    'prepared insert',
    'many',
    [['sql.insert'], ['frame.append', 'frame']],
    (handle) => `insert into "${handle}" values (?)`,
    grown,
  ),
  ask(
    'comment',
    'update',
    [['sql.comment'], ['frame.note', 'frame']],
    (handle) => `comment on table "${handle}" is 'said'`,
    own,
  ),
  ask(
    'drop',
    'update',
    [['sql.drop'], ['frame.describe', 'frame'], ['frame.drop', 'frame']],
    (handle) => `drop table "${handle}"`,
    { leaves: 'absent' },
  ),
];

const listing = [['server.describe'], ['frame.list']] as const;
const describing = [['server.describe']] as const;

export const adbcAsks: readonly SqlAsk[] = [
  ...statements,
  ask('partitions', 'partitions', reading, (handle) => `select * from "${handle}" limit 3`),
  ask('ingest a new table', 'ingest create', [['frame.put', 'frame']], (handle) => handle, made),
  ask('ingest more', 'ingest append', [['frame.append', 'frame']], (handle) => handle, grown),
  ask('GetObjects', 'tables', listing, () => '%'),
  ask('GetTableTypes', 'table types', describing, () => ''),
];

export const jdbcAsks: readonly SqlAsk[] = [
  ...statements,
  ask('getTables', 'tables', listing, () => '%'),
  ask('getColumns', 'columns', listing, () => '%'),
  ask('getCatalogs', 'catalogs', describing, () => ''),
  ask('getTableTypes', 'table types', describing, () => ''),
];
