import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  CancelFlightInfoRequestSchema,
  CloseSessionRequestSchema,
  FlightInfoSchema,
  GetSessionOptionsRequestSchema,
  SetSessionOptionsRequestSchema,
} from '../../../server/src/flight/gen/Flight_pb.js';
import * as sql from '../../../server/src/flight/gen/FlightSql_pb.js';
import { packAny } from '../../../server/src/flight/sql/any-message.ts';
import { encodeTicket } from '../../../server/src/flight/sql/statement-ticket.ts';
import { type Ask, type Need, untouched, withoutRows } from './cells.ts';
import { extraTenant } from './stage.ts';

/** A call for `access/matrix/matrix_flight.py`; bytes are base64. */
interface FlightCall {
  readonly verb: string;
  readonly path?: string;
  readonly command?: string;
  readonly ticket?: string;
  readonly action?: string;
  readonly body?: string;
  /** DoPut: send no columns. */
  readonly empty?: true;
}

export type FlightHow = (handle: string) => FlightCall;
type FlightAsk = Ask<FlightHow>;
type Options = Omit<FlightAsk, 'title' | 'needs' | 'how'>;

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');
const packed = <D extends DescMessage>(schema: D, message: MessageInitShape<D> = {} as MessageInitShape<D>) =>
  base64(packAny(schema, message));
const plain = <D extends DescMessage>(schema: D, message: MessageInitShape<D> = {} as MessageInitShape<D>) =>
  base64(toBinary(schema, create(schema, message)));

const read = [['frame.read', 'frame']] as const;
const describe = [['frame.describe', 'frame']] as const;
const own = { foreign: 'bad_handle' } as const;

function ask(title: string, needs: FlightAsk['needs'], how: FlightHow, options: Options = {}): FlightAsk {
  return { title, needs, how, ...options };
}

function action(
  type: string,
  needs: FlightAsk['needs'],
  body: (handle: string) => string,
  options: Options = {},
) {
  const how = (handle: string) => ({ verb: 'DoAction', action: type, body: body(handle) });
  return ask(`action ${type}`, needs, how, options);
}

function jsonAction(
  type: string,
  needs: FlightAsk['needs'],
  fields: (handle: string) => object,
  options: Options = {},
) {
  return action(type, needs, (handle) => base64(JSON.stringify(fields(handle))), options);
}

/** Flight SQL is for known callers, whatever the command: a link opens none of it. */
const command = ['server.describe'] as const;

function statement(
  title: string,
  needs: readonly Need[],
  text: (handle: string) => string,
  options: Options = {},
) {
  const how: FlightHow = (handle) => ({
    verb: 'query',
    command: packed(sql.CommandStatementQuerySchema, { query: text(handle) }),
  });
  return ask(`statement ${title}`, [command, ...needs], how, options);
}

function update(
  title: string,
  needs: readonly Need[],
  text: (handle: string) => string,
  options: Options = {},
) {
  const how: FlightHow = (handle) => ({
    verb: 'DoPut',
    command: packed(sql.CommandStatementUpdateSchema, { query: text(handle) }),
    empty: true,
  });
  return ask(`update ${title}`, [command, ...needs], how, options);
}

function metadata(title: string, command: string, needs: FlightAsk['needs'] = [['server.describe']]) {
  return ask(title, needs, () => ({ verb: 'query', command }));
}

const ingestOptions = (ifExists: number, ifNotExist: number) => ({
  tableDefinitionOptions: { ifExists, ifNotExist },
});
const Exists = sql.CommandStatementIngest_TableDefinitionOptions_TableExistsOption;
const NotExist = sql.CommandStatementIngest_TableDefinitionOptions_TableNotExistOption;
const someTicket = encodeTicket({
  kind: 'query',
  id: 'none',
  sql: 'select 1',
  engine: 'duckdb',
  parameters: null,
});
const someInfo = { endpoint: [{ ticket: { ticket: someTicket } }] };
const cancelling = [['server.describe'], ['query.cancel']] as const;

/** Every verb that pyarrow has, every action, and every kind of statement. */
export const flightAsks: readonly FlightAsk[] = [
  ask('Handshake', [], () => ({ verb: 'Handshake' })),
  ask('ListFlights', [['frame.list']], () => ({ verb: 'ListFlights' })),
  ask('GetFlightInfo', describe, (path) => ({ verb: 'GetFlightInfo', path })),
  ask('GetFlightInfo in ranges', describe, (name) => ({
    verb: 'GetFlightInfo',
    command: base64(JSON.stringify({ name, endpoints: 2 })),
  })),
  ask('GetSchema', describe, (path) => ({ verb: 'GetSchema', path })),
  ask('DoGet', read, (handle) => ({ verb: 'DoGet', ticket: base64(handle) })),
  ask('DoGet of a range', read, (name) => ({
    verb: 'DoGet',
    ticket: base64(JSON.stringify({ name, offset: 0, limit: 1 })),
  })),
  ask('DoPut', [['frame.put', 'frame']], (path) => ({ verb: 'DoPut', path }), {
    ...own,
    leaves: '2 version, 1 rows',
  }),
  ask(
    'DoPut append',
    [['frame.append', 'frame']],
    (name) => ({ verb: 'DoPut', command: base64(JSON.stringify({ name, mode: 'append' })) }),
    { ...own, leaves: '2 version, 2 rows' },
  ),
  ask('DoExchange', [], (path) => ({ verb: 'DoExchange', path }), { answer: 'unimplemented' }),
  ask('ListActions', [['server.describe']], () => ({ verb: 'ListActions' })),
  jsonAction('drop', [['frame.drop', 'frame']], (handle) => ({ handle }), { leaves: 'absent' }),
  jsonAction('restore', [['frame.restore', 'frame']], (name) => ({ name, version: 1 }), {
    ...own,
    leaves: '2 version, 1 rows',
  }),
  jsonAction('undrop', [['frame.undrop', 'frame']], (name) => ({ name }), {
    ...own,
    dropped: true,
    leaves: untouched,
  }),
  jsonAction('expire', [['frame.expire', 'frame']], (name) => ({ name, ttl: '1d' }), {
    ...own,
    leaves: `${untouched}, expires`,
  }),
  jsonAction('keep', [['frame.keep', 'frame']], (name) => ({ name, versions: 3 }), {
    ...own,
    leaves: `${untouched}, keeps 3`,
  }),
  jsonAction('versions', [['frame.versions', 'frame']], (name) => ({ name }), own),
  jsonAction('share', [['frame.share', 'frame']], (name) => ({ name, tenant: extraTenant }), {
    ...own,
    leaves: `${untouched}, shared with ${extraTenant}`,
  }),
  jsonAction('unshare', [['frame.unshare', 'frame']], (name) => ({ name, tenant: extraTenant }), {
    ...own,
    leaves: untouched,
  }),
  jsonAction('shares', [['frame.shares', 'frame']], (name) => ({ name }), own),
  jsonAction('shared', [['frame.shared-with-me']], () => ({})),
  jsonAction('link', [['frame.link', 'frame']], (handle) => ({ handle, ttl: '1h' }), {
    foreign: 'bad_request',
  }),
  jsonAction('links', [['frame.links', 'frame']], (name) => ({ name }), own),
  jsonAction('unlink', [['frame.unlink', 'frame']], (name) => ({ name, id: 'none' }), {
    ...own,
    answer: 'link_not_found',
  }),
  jsonAction('tag', [['frame.tag', 'frame']], (handle) => ({ handle, tag: 'gold' }), {
    foreign: 'bad_request',
  }),
  jsonAction(
    'notes',
    [
      ['frame.describe', 'frame'],
      ['frame.notes', 'frame'],
    ],
    (handle) => ({ handle }),
  ),
  jsonAction('note', [['frame.note', 'frame']], (name) => ({ name, notes: { owner: 'Ann' } }), own),
  jsonAction('untag', [['frame.untag', 'frame']], (name) => ({ name, tag: 'none' }), {
    ...own,
    answer: 'tag_not_found',
  }),
  jsonAction(
    'tags',
    [
      ['frame.describe', 'frame'],
      ['frame.tags', 'frame'],
    ],
    (handle) => ({ handle }),
  ),
  action('CreatePreparedStatement', [command, ['sql.query'], ['frame.describe', 'frame']], (handle) =>
    packed(sql.ActionCreatePreparedStatementRequestSchema, { query: `select * from "${handle}"` }),
  ),
  action('ClosePreparedStatement', [['server.describe']], () =>
    packed(sql.ActionClosePreparedStatementRequestSchema),
  ),
  action('CancelFlightInfo', cancelling, () => plain(CancelFlightInfoRequestSchema, { info: someInfo }), {
    answer: 'query_not_found',
  }),
  action(
    'CancelQuery',
    cancelling,
    () =>
      packed(sql.ActionCancelQueryRequestSchema, {
        info: toBinary(FlightInfoSchema, create(FlightInfoSchema, someInfo)),
      }),
    { answer: 'query_not_found' },
  ),
  action('SetSessionOptions', [['server.describe']], () => plain(SetSessionOptionsRequestSchema)),
  action('GetSessionOptions', [['server.describe']], () => plain(GetSessionOptionsRequestSchema)),
  action('CloseSession', [['server.describe']], () => plain(CloseSessionRequestSchema)),
  ...['BeginTransaction', 'EndTransaction', 'BeginSavepoint', 'EndSavepoint'].map((type) =>
    action(type, [['server.describe']], () => '', { answer: 'unimplemented' }),
  ),
  metadata('GetTables', packed(sql.CommandGetTablesSchema, { includeSchema: true }), [
    ['server.describe'],
    ['frame.list'],
  ]),
  metadata('GetSqlInfo', packed(sql.CommandGetSqlInfoSchema)),
  metadata('GetCatalogs', packed(sql.CommandGetCatalogsSchema)),
  metadata('GetDbSchemas', packed(sql.CommandGetDbSchemasSchema)),
  metadata('GetTableTypes', packed(sql.CommandGetTableTypesSchema)),
  metadata('GetXdbcTypeInfo', packed(sql.CommandGetXdbcTypeInfoSchema)),
  metadata('GetPrimaryKeys', packed(sql.CommandGetPrimaryKeysSchema, { table: 'common' })),
  statement(
    'query',
    [['sql.query'], ['frame.describe', 'frame']],
    (handle) => `select * from "${handle}" limit 1`,
  ),
  statement(
    'explain',
    [['sql.explain'], ['frame.describe', 'frame']],
    (handle) => `explain select * from "${handle}"`,
  ),
  statement('tsdb', [['sql.query'], ['tsdb.query']], () => "select * from tsdb('select 1 n')"),
  update(
    'create',
    [['sql.create'], ['frame.put', 'frame']],
    (handle) => `create table "${handle}" as select 1 as n`,
    { ...own, makes: true, leaves: untouched },
  ),
  update(
    'create of columns',
    [['sql.create'], ['frame.put', 'frame']],
    (handle) => `create table "${handle}" (n integer)`,
    { ...own, makes: true, leaves: withoutRows },
  ),
  update(
    'insert',
    [['sql.insert'], ['frame.append', 'frame']],
    (handle) => `insert into "${handle}" values ('x')`,
    { ...own, leaves: '2 version, 2 rows' },
  ),
  update(
    'comment',
    [['sql.comment'], ['frame.note', 'frame']],
    (handle) => `comment on table "${handle}" is 'said'`,
    own,
  ),
  update(
    'drop',
    [['sql.drop'], ['frame.describe', 'frame'], ['frame.drop', 'frame']],
    (handle) => `drop table "${handle}"`,
    { leaves: 'absent' },
  ),
  ask(
    'ingest',
    [command, ['frame.append', 'frame']],
    (table) => ({
      verb: 'DoPut',
      command: packed(sql.CommandStatementIngestSchema, {
        table,
        ...ingestOptions(Exists.APPEND, NotExist.FAIL),
      }),
    }),
    { ...own, leaves: '2 version, 2 rows' },
  ),
];
