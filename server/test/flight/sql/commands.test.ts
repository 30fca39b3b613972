import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  CancelFlightInfoRequestSchema,
  CloseSessionRequestSchema,
  GetSessionOptionsRequestSchema,
  SetSessionOptionsRequestSchema,
} from '../../../src/flight/gen/Flight_pb.js';
import * as sql from '../../../src/flight/gen/FlightSql_pb.js';
import { packAny } from '../../../src/flight/sql/any-message.ts';
import { Harness } from '../harness.ts';
import { DuckSql } from './duck-sql.ts';

describe('Flight SQL commands, by their bytes', () => {
  let harness: Harness;
  let core: DuckSql;
  before(async () => {
    harness = await Harness.start({ sql: { hasAnalytics: true }, preparedMax: 2 }, (frames) => {
      core = new DuckSql(frames);
      return core;
    });
    await harness.python.run(`
import base64
def command(text):
    return fl.FlightDescriptor.for_command(base64.b64decode(text))
def act(kind, text):
    action = fl.Action(kind, base64.b64decode(text))
    return [base64.b64encode(each.body.to_pybytes()).decode() for each in state['client'].do_action(action)]
state['command'], state['act'] = command, act
for n in range(603):
    put(state['client'], path('t%04d' % n), table(1))
`);
  });
  after(async () => {
    core.kill();
    await harness[Symbol.asyncDispose]();
  });

  const ask = (code: string, input: unknown) =>
    harness.python.tryRun(
      `client, command, act = state['client'], state['command'], state['act']\nimport base64\n${code}`,
      input,
    );
  const must = async (code: string, input: unknown) => {
    const reply = await ask(code, input);
    assert.equal(reply.error, undefined, reply.message);
    return reply.answer;
  };
  const packed = <D extends DescMessage>(schema: D, message: MessageInitShape<D>) =>
    Buffer.from(packAny(schema, message)).toString('base64');
  const plain = <D extends DescMessage>(schema: D, message: MessageInitShape<D>) =>
    Buffer.from(toBinary(schema, create(schema, message))).toString('base64');

  const fetch = (bytes: string) =>
    must(
      `
info = client.get_flight_info(command(input))
back = client.do_get(info.endpoints[0].ticket).read_all()
back.validate(full=True)
assert info.schema.equals(back.schema) and client.get_schema(command(input)).schema.equals(back.schema)
answer = {'columns': [str(each)[len('pyarrow.Field<'):-1] for each in back.schema], 'rows': [list(row.values()) for row in back.to_pylist()]}
`,
      bytes,
    ) as Promise<{ columns: string[]; rows: unknown[][] }>;

  it('has a true value for every code of GetSqlInfo, and gives only those asked for', async () => {
    const all = await fetch(packed(sql.CommandGetSqlInfoSchema, {}));
    const codes = Object.values(sql.SqlInfo).filter((code) => typeof code === 'number');
    assert.deepEqual(
      all.rows.map(([code]) => code).toSorted((one, other) => Number(one) - Number(other)),
      codes.toSorted((one, other) => one - other),
    );
    const some = await fetch(packed(sql.CommandGetSqlInfoSchema, { info: [8, 0, 504, 9999, 0] }));
    assert.deepEqual(some.rows, [
      [8, 0],
      [0, 'Framehold'],
      [504, '"'],
    ]);
    assert.deepEqual(some.columns, [
      'info_name: uint32 not null',
      'value: dense_union<string_value: string=0, bool_value: bool=1, bigint_value: int64=2, int32_bitmask: int32=3, string_list: list<item: string>=4, int32_to_int32_list_map: map<int32, list<item: int32>>=5> not null',
    ]);
  });

  it('lists catalogs, schemas and types of tables', async () => {
    assert.deepEqual(await fetch(packed(sql.CommandGetCatalogsSchema, {})), {
      columns: ['catalog_name: string not null'],
      rows: [['analytics'], ['framehold']],
    });
    assert.deepEqual(await fetch(packed(sql.CommandGetDbSchemasSchema, { catalog: 'FRAMEHOLD' })), {
      columns: ['catalog_name: string', 'db_schema_name: string not null'],
      rows: [['framehold', 'main']],
    });
    const none = await fetch(packed(sql.CommandGetDbSchemasSchema, { dbSchemaFilterPattern: 'x%' }));
    assert.deepEqual(none.rows, []);
    const types = await fetch(packed(sql.CommandGetTableTypesSchema, {}));
    assert.deepEqual(types, { columns: ['table_type: string not null'], rows: [['TABLE']] });
  });

  it('lists every table, page after page', async () => {
    const all = await fetch(packed(sql.CommandGetTablesSchema, { includeSchema: true }));
    assert.equal(all.rows.length, 603);
    assert.equal(new Set(all.rows.map((row) => row[2])).size, 603);
    assert.deepEqual(all.columns, [
      'catalog_name: string',
      'db_schema_name: string',
      'table_name: string not null',
      'table_type: string not null',
      'table_schema: binary not null',
    ]);
    const some = await fetch(
      packed(sql.CommandGetTablesSchema, { tableNameFilterPattern: 'T06_1', tableTypes: ['VIEW', 'TABLE'] }),
    );
    assert.deepEqual(some.rows, [['framehold', 'main', 't0601', 'TABLE']]);
    const views = await fetch(packed(sql.CommandGetTablesSchema, { tableTypes: ['VIEW'] }));
    assert.deepEqual(views.rows, []);
    const uncatalogued = await fetch(packed(sql.CommandGetTablesSchema, { catalog: '' }));
    assert.deepEqual(uncatalogued.rows, []);
  });

  it('gives keys as empty tables with the columns of the protocol', async () => {
    const primary = await fetch(packed(sql.CommandGetPrimaryKeysSchema, { table: 't0001' }));
    assert.deepEqual(primary.rows, []);
    assert.equal(primary.columns.at(-1), 'key_sequence: int32 not null');
    const foreign = [
      await fetch(packed(sql.CommandGetExportedKeysSchema, { table: 't0001' })),
      await fetch(packed(sql.CommandGetImportedKeysSchema, { table: 't0001' })),
      await fetch(packed(sql.CommandGetCrossReferenceSchema, { pkTable: 't0001', fkTable: 't0002' })),
    ];
    for (const { columns, rows } of foreign) {
      assert.deepEqual(rows, []);
      assert.equal(columns.length, 13);
      assert.equal(columns.at(-1), 'delete_rule: uint8 not null');
    }
  });

  it('describes the types, in order, or one of them', async () => {
    const all = await fetch(packed(sql.CommandGetXdbcTypeInfoSchema, {}));
    const order = all.rows.map((row) => Number(row[1]));
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
    );
    const decimal = await fetch(packed(sql.CommandGetXdbcTypeInfoSchema, { dataType: 3 }));
    assert.deepEqual(
      decimal.rows.map((row) => [row[0], row[2], row[5]]),
      [['DECIMAL', 38, ['precision', 'scale']]],
    );
  });

  it('takes the statement itself, and hands out a ticket that needs nothing else', async () => {
    const answer = await must(
      `
info = client.get_flight_info(command(input))
back = [client.do_get(info.endpoints[0].ticket).read_all().to_pydict() for _ in range(2)]
answer = [info.total_records, info.schema.equals(client.get_schema(command(input)).schema), back]
`,
      packed(sql.CommandStatementQuerySchema, { query: 'select 1 as a' }),
    );
    assert.deepEqual(answer, [-1, true, [{ a: [1] }, { a: [1] }]]);
  });

  it('does not let a ticket change anything', async () => {
    const handle = Buffer.from(JSON.stringify({ id: 'x', sql: 'drop table t0001' }));
    const reply = await ask(
      `client.do_get(fl.Ticket(base64.b64decode(input))).read_all()`,
      packed(sql.TicketStatementQuerySchema, { statementHandle: handle }),
    );
    assert.match(reply.message ?? '', /changes something/);
    assert.ok(!core.executed.includes('drop table t0001'));
  });

  for (const text of ['', 'null', '7', '{"sql":7}', '{"sql":"select 1"}']) {
    it(`refuses a ticket that it did not make: ${text || 'nothing'}`, async () => {
      const reply = await ask(
        `client.do_get(fl.Ticket(base64.b64decode(input))).read_all()`,
        packed(sql.TicketStatementQuerySchema, { statementHandle: Buffer.from(text) }),
      );
      assert.match(reply.message ?? '', /not one of this server/);
    });
  }

  const refused: readonly (readonly [string, string, string, RegExp])[] = [
    [
      'a statement in a transaction',
      'client.get_flight_info(command(input))',
      packed(sql.CommandStatementQuerySchema, { query: 'select 1', transactionId: Buffer.from('t') }),
      /no transactions/,
    ],
    [
      'a Substrait plan',
      'client.get_flight_info(command(input))',
      packed(sql.CommandStatementSubstraitPlanSchema, {}),
      /Send SQL/,
    ],
    [
      'an ingestion that is asked for its info',
      'client.get_flight_info(command(input))',
      packed(sql.CommandStatementIngestSchema, { table: 't' }),
      /does not take a CommandStatementIngest/,
    ],
    [
      'an ingestion that does not say what to do',
      'put(client, command(input), table())',
      packed(sql.CommandStatementIngestSchema, { table: 't' }),
      /what to do with the table/,
    ],
    [
      'an ingestion that can only fail',
      'put(client, command(input), table())',
      packed(sql.CommandStatementIngestSchema, {
        table: 't',
        tableDefinitionOptions: { ifNotExist: 2, ifExists: 1 },
      }),
      /what to do with the table/,
    ],
    [
      'an ingestion with an option that is not there',
      'put(client, command(input), table())',
      packed(sql.CommandStatementIngestSchema, {
        table: 't',
        tableDefinitionOptions: { ifNotExist: 1, ifExists: 1 },
        options: { tll: '1h' },
      }),
      /no option "tll"/,
    ],
    [
      'an ingestion in a transaction',
      'put(client, command(input), table())',
      packed(sql.CommandStatementIngestSchema, {
        table: 't',
        tableDefinitionOptions: { ifNotExist: 1, ifExists: 1 },
        transactionId: Buffer.from('t'),
      }),
      /no transactions/,
    ],
    [
      'a replacement of what is not there',
      'put(client, command(input), table())',
      packed(sql.CommandStatementIngestSchema, {
        table: 'absent',
        tableDefinitionOptions: { ifNotExist: 2, ifExists: 3 },
      }),
      /no frame absent/,
    ],
    [
      'a metadata command as a put',
      'put(client, command(input), table())',
      packed(sql.CommandGetTablesSchema, {}),
      /DoPut does not take/,
    ],
    [
      'a prepared statement that is not there',
      'client.get_flight_info(command(input))',
      packed(sql.CommandPreparedStatementQuerySchema, { preparedStatementHandle: Buffer.from('x') }),
      /no such prepared statement/,
    ],
    [
      'parameters of more than a mebibyte for a query',
      `
handle = act('CreatePreparedStatement', input)
raw = base64.b64decode(handle[0])
at = raw.index(b'\\x0a\\x1a')
name = raw[at + 2:at + 28]
kind = b'type.googleapis.com/arrow.flight.protocol.sql.CommandPreparedStatementQuery'
inner = b'\\x0a\\x1a' + name
cmd = b'\\x0a' + bytes([len(kind)]) + kind + b'\\x12' + bytes([len(inner)]) + inner
put(client, fl.FlightDescriptor.for_command(cmd), table(100000))`,
      packed(sql.ActionCreatePreparedStatementRequestSchema, { query: 'select ?' }),
      /more than 1048576 bytes/,
    ],
    [
      'BeginTransaction',
      `act('BeginTransaction', input)`,
      packed(sql.ActionBeginTransactionRequestSchema, {}),
      /autocommit/,
    ],
    [
      'EndTransaction',
      `act('EndTransaction', input)`,
      packed(sql.ActionEndTransactionRequestSchema, {}),
      /nothing is undone/,
    ],
    [
      'BeginSavepoint',
      `act('BeginSavepoint', input)`,
      packed(sql.ActionBeginSavepointRequestSchema, {}),
      /autocommit/,
    ],
    [
      'EndSavepoint',
      `act('EndSavepoint', input)`,
      packed(sql.ActionEndSavepointRequestSchema, {}),
      /autocommit/,
    ],
    [
      'an action with the message of another',
      `act('CreatePreparedStatement', input)`,
      packed(sql.ActionBeginTransactionRequestSchema, {}),
      /wants a ActionCreatePreparedStatementRequest/,
    ],
    [
      'to cancel what does not run',
      `act('CancelFlightInfo', input)`,
      plain(CancelFlightInfoRequestSchema, {}),
      /No query of this FlightInfo is running/,
    ],
  ];
  for (const [what, code, input, message] of refused) {
    it(`refuses ${what}`, async () => {
      const reply = await ask(code, input);
      assert.match(reply.message ?? `it worked: ${JSON.stringify(reply.answer)}`, message);
    });
  }

  for (const kind of ['CancelFlightInfo', 'CancelQuery']) {
    it(`stops a running query by ${kind}`, async () => {
      const query = 'select a, range from t0001, range(20000) /* slow */';
      const reply = await ask(
        `
info = client.get_flight_info(command(input['command']))
reader = client.do_get(info.endpoints[0].ticket)
reader.read_chunk()
raw = info.serialize()
def field(number, content):
    size, length = len(content), b''
    while size > 127:
        length += bytes([size % 128 | 128]); size //= 128
    return bytes([number * 8 + 2]) + length + bytes([size]) + content
body = field(1, raw)
if input['kind'] == 'CancelQuery':
    body = field(1, b'type.googleapis.com/arrow.flight.protocol.sql.ActionCancelQueryRequest') + field(2, body)
result = act(input['kind'], base64.b64encode(body).decode())
# read_all would take the status CANCELLED for a Ctrl-C.
try:
    while True:
        reader.read_chunk()
except Exception as error:
    answer = [result, str(error)]
`,
        { command: packed(sql.CommandStatementQuerySchema, { query }), kind },
      );
      assert.equal(reply.error, undefined, reply.message);
      const [result, message] = reply.answer as [string[], string];
      assert.equal(Buffer.from(result[0] ?? '', 'base64').at(-1), 1);
      assert.match(message, /cancelled/i);
    });
  }

  it('answers sessions truthfully', async () => {
    const text = (value: string) => ({ optionValue: { case: 'stringValue' as const, value } });
    const options = { catalog: text('framehold'), schema: text('other'), zone: text('UTC') };
    const [set, get, close] = (await must(
      `answer = [act('SetSessionOptions', input[0]), act('GetSessionOptions', input[1]), act('CloseSession', input[2])]`,
      [
        plain(SetSessionOptionsRequestSchema, { sessionOptions: options }),
        plain(GetSessionOptionsRequestSchema, {}),
        plain(CloseSessionRequestSchema, {}),
      ],
    )) as string[][];
    const decode = (given: string[] | undefined) =>
      Buffer.from(given?.[0] ?? '', 'base64').toString('latin1');
    assert.match(decode(set), /schema/);
    assert.match(decode(set), /zone/);
    assert.doesNotMatch(decode(set), /catalog/);
    assert.match(decode(get), /framehold/);
    assert.equal(decode(close), '\b\u0001');
  });
});
