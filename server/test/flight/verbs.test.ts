import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Harness } from './harness.ts';

describe('Flight verbs, asked by pyarrow', () => {
  let harness: Harness;
  before(async () => {
    harness = await Harness.start();
  });
  after(() => harness[Symbol.asyncDispose]());

  it('gives back what was put', async () => {
    const answer = await harness.python.run(`
client = state['client']
data = table(1000)
manifest = put(client, path('prices'), data, chunk=100)
back = client.do_get(fl.Ticket(b'prices')).read_all()
answer = [manifest['handle'], back.equals(data), back.column(0).num_chunks]
`);
    assert.deepEqual(answer, ['prices@1', true, 10]);
  });

  it('passes dictionaries, nulls, nesting, compression and empty tables untouched', async () => {
    const answer = await harness.python.run(`
client = state['client']
cases = {
  'dictionary': pa.table({'d': pa.array(['x', None, 'y', 'x']).dictionary_encode()}),
  'nested': pa.table({'l': pa.array([[1, None], None, []]), 'm': pa.array([{'a': 1}, None, {'a': 2}])}),
  'empty': pa.table({'a': pa.array([], pa.int8())}),
  'no-columns': pa.table({}),
  'views': pa.table({'v': pa.array(['short', 'a string that is longer than twelve bytes'], pa.string_view())}),
  'run-end': pa.table({'r': pa.RunEndEncodedArray.from_arrays(pa.array([2, 5], pa.int32()), pa.array(['a', 'b']))}),
  'metadata': pa.table({'a': [1]}).replace_schema_metadata({'k': 'v'}),
}
answer = {}
for name, data in cases.items():
    for codec in [None, 'zstd', 'lz4']:
        options = fl.FlightCallOptions(write_options=pa.ipc.IpcWriteOptions(compression=codec))
        writer, reader = client.do_put(path(name), data.schema, options)
        writer.write_table(data)
        writer.close()
        back = client.do_get(fl.Ticket(name.encode())).read_all()
        answer[name, codec] = back.equals(data, check_metadata=True)
answer = [str(case) for case, same in answer.items() if not same]
`);
    assert.deepEqual(answer, []);
  });

  it('mints a name for an empty path and takes a JSON command', async () => {
    const answer = await harness.python.run(`
client = state['client']
minted = put(client, path(), table())
command = b'{"name": "orders", "mode": "create", "ttl": "30d", "idempotencyKey": "k1", "ifVersion": 0}'
ordered = put(client, fl.FlightDescriptor.for_command(command), table())
answer = [minted['name'], ordered['name'], ordered['expiresAt']]
`);
    const [minted, ordered, expiresAt] = answer as string[];
    assert.match(minted ?? '', /^f_[a-z2-7]{26}$/);
    assert.equal(ordered, 'orders');
    assert.equal(expiresAt, '2026-01-31T00:00:00.000Z');
    assert.deepEqual(harness.frames.targets.at(-1), {
      name: 'orders',
      mode: 'create',
      ttlMs: 30 * 86_400_000,
      ifVersion: { version: 0 },
      idempotencyKey: 'k1',
      format: 'arrow',
      originFormat: 'flight',
    });
  });

  it('hands out pinned tickets, sizes, schema and manifest', async () => {
    const answer = await harness.python.run(`
client = state['client']
put(client, path('pinned'), table())
put(client, path('pinned'), table(5))
info = client.get_flight_info(path('pinned'))
old = client.get_flight_info(path('pinned@1'))
endpoint = info.endpoints[0]
schema = client.get_schema(path('pinned')).schema
answer = {
  'ticket': json.loads(endpoint.ticket.ticket)['name'], 'old': json.loads(old.endpoints[0].ticket.ticket)['name'], 'locations': len(endpoint.locations),
  'records': info.total_records, 'schema': info.schema.equals(table().schema), 'get_schema': schema.equals(table().schema),
  'handle': json.loads(info.app_metadata)['handle'], 'path': info.descriptor.path[0].decode(),
  'rows': [client.do_get(each.endpoints[0].ticket).read_all().num_rows for each in (info, old)],
}
`);
    assert.deepEqual(answer, {
      ticket: 'pinned@2',
      old: 'pinned@1',
      locations: 0,
      records: 3,
      schema: true,
      get_schema: true,
      handle: 'pinned@2',
      path: 'pinned',
      rows: [5, 3],
    });
  });

  it('lists names by prefix, page after page', async () => {
    const answer = await harness.python.run(`
client = state['client']
for n in range(205):
    put(client, path('list-%03d' % n), table())
put(client, path('other'), table())
names = [info.descriptor.path[0].decode() for info in client.list_flights(b'list-')]
answer = [len(names), len(set(names)), names[0], names[-1], len(list(client.list_flights())) > 205]
`);
    assert.deepEqual(answer, [205, 205, 'list-000', 'list-204', true]);
  });

  it('drops, expires and lists versions by action', async () => {
    const answer = await harness.python.run(`
client = state['client']
def act(kind, **fields):
    return [json.loads(result.body.to_pybytes()) for result in client.do_action(fl.Action(kind, json.dumps(fields).encode()))]
put(client, path('acted'), table())
put(client, path('acted'), table())
versions = [each['version'] for each in act('versions', name='acted')[0]['versions']]
first = [each['version'] for each in act('versions', name='acted', limit=1)[0]['versions']]
expiry = [act('expire', name='acted', ttl=60)[0]['expiresAt'], act('expire', handle='acted', ttl=None)[0]['expiresAt']]
kept = [act('keep', name='acted', versions=3)[0].get('versionsKeep'), act('keep', name='acted', versions=None)[0].get('versionsKeep')]
dropped = act('drop', handle='acted')
answer = [versions, first, expiry, kept, dropped, sorted(each.type for each in client.list_actions() if each.type.islower())]
`);
    assert.deepEqual(answer, [
      [2, 1],
      [2],
      ['2026-01-01T00:01:00.000Z', null],
      [3, null],
      [{ dropped: 'acted' }],
      [
        'drop',
        'expire',
        'keep',
        'link',
        'links',
        'note',
        'notes',
        'restore',
        'share',
        'shared',
        'shares',
        'tag',
        'tags',
        'undrop',
        'unlink',
        'unshare',
        'untag',
        'versions',
      ],
    ]);
  });

  it('completes a handshake and echoes its payload', async () => {
    const answer = await harness.python.run(
      `
class Echo(fl.ClientAuthHandler):
    def authenticate(self, outgoing, incoming):
        outgoing.write(b'who am I')
        self.token = incoming.read()
    def get_token(self):
        return self.token
client = fl.connect(input)
echo = Echo()
client.authenticate(echo)
answer = [echo.token.decode(), 'drop' in [each.type for each in client.list_actions()]]
`,
      harness.url,
    );
    assert.deepEqual(answer, ['who am I', true]);
  });

  it('reports each call', async () => {
    await harness.python.run(`state['client'].get_flight_info(path('prices'))`);
    const call = harness.events('flight-call').at(-1);
    assert.equal(call?.method, '/arrow.flight.protocol.FlightService/GetFlightInfo');
    assert.equal(call?.status, 0);
    assert.ok((call?.bytes ?? 0) > 100);
    assert.match(call?.remote ?? '', /^127\.0\.0\.1:\d+$/);
    assert.match(call?.requestId ?? '', /^[a-z2-7]{26}$/);
  });

  it('releases every reading', () => assert.equal(harness.frames.counts.readings, 0));
});
