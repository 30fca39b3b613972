import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { exec, getText } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(async () => await framehold.remove());

interface Failure {
  readonly kind: string;
  readonly text: string;
}

const python = <Result>(lines: string, given: unknown = null) =>
  flightPython(framehold.grpcUrl, lines, given) as Promise<Result>;

test('DoPut, descriptor PATH [name]: create or replace that name', async () => {
  const versions = await python<number[]>(`
result = [put(by_path('by-path'), numbers(count))[-1]['version'] for count in range(2)]`);
  assert.deepEqual(versions, [1, 2]);
});

test('DoPut, descriptor PATH []: mints a name', async () => {
  const [name, values] = await python<[string, number[]]>(`
manifest = put(by_path(), numbers(4, 5))[-1]
result = [manifest['name'], get(manifest['handle'])['n'].to_pylist()]`);
  assert.match(name, /^f_[a-z2-7]{26}$/);
  assert.deepEqual(values, [4, 5]);
});

test('DoPut, descriptor CMD that begins with {: name and mode', async () => {
  const result = await python<{ versions: number[]; rows: number[]; again: Failure; missing: Failure }>(`
result = {
    'versions': [put(by_command({'name': 'by-command', 'mode': mode}), numbers(1))[-1]['version'] for mode in ('create', 'replace', 'append')],
    'rows': get('by-command')['n'].to_pylist(),
    'again': fails(lambda: put(by_command({'name': 'by-command', 'mode': 'create'}), numbers(1))),
    'missing': fails(lambda: put(by_command({'name': 'not-there', 'mode': 'append'}), numbers(1))),
}`);
  assert.deepEqual(result.versions, [1, 2, 3]);
  assert.deepEqual(result.rows, [1, 1]);
  assert.match(result.again.text, /exist/i);
  assert.match(result.missing.text, /not.?found|no such/i);
});

test('create is ALREADY_EXISTS if the name exists', async () => {
  const failure = await python<Failure>(`
put(by_path('taken'), numbers(1))
result = fails(lambda: put(by_command({'name': 'taken', 'mode': 'create'}), numbers(1)))`);
  assert.match(failure.text, /gRPC (returned )?(already.exists|6)|already exists/i);
});

test('DoPut, descriptor CMD: ttl, ifVersion, idempotencyKey', async () => {
  const result = await python<{ expires: string; stale: Failure; keyed: string[]; rows: number }>(`
put(by_command({'name': 'full', 'ttl': '1h'}), numbers(1))
manifest = put(by_command({'name': 'full', 'mode': 'replace', 'ifVersion': 1}), numbers(2))[-1]
result = {
    'expires': manifest['expiresAt'],
    'stale': fails(lambda: put(by_command({'name': 'full', 'mode': 'replace', 'ifVersion': 1}), numbers(3))),
    'keyed': [put(by_command({'name': 'full', 'mode': 'append', 'idempotencyKey': 'flight-key'}), numbers(3))[-1]['handle'] for _ in range(2)],
    'rows': get('full').num_rows,
}`);
  assert.ok(Date.parse(result.expires) > Date.now());
  assert.match(result.stale.text, /version/i);
  assert.deepEqual(result.keyed, ['full@3', 'full@3']);
  assert.equal(result.rows, 2);
});

test('DoPut, descriptor CMD: an unknown member is refused by name', async () => {
  const failure = await python<Failure>(`result = fails(lambda: put(by_command({'nmae': 'x'}), numbers(1)))`);
  assert.match(failure.text, /nmae/);
});

test('DoPut, descriptor CMD with other bytes is Flight SQL: a command that it does not have is refused', async () => {
  const failure = await python<Failure>(`result = fails(lambda: put(by_command(b'\\x0a\\x00'), numbers(1)))`);
  assert.match(failure.kind, /NotImplemented|Unimplemented|Flight/i);
});

test("DoPut's last result is the manifest as JSON, sent only once it is durable", async () => {
  const [manifest] = await python<Record<string, unknown>[]>(
    `result = put(by_path('durable'), numbers(1, 2, 3))`,
  );
  assert.equal(manifest?.handle, 'durable@1');
  assert.equal(manifest?.rows, 3);
  assert.deepEqual(manifest?.columns, [{ name: 'n', type: 'LONG' }]);
  await framehold.kill();
  await framehold.start();
  assert.deepEqual(JSON.parse((await exec(framehold.url, { handle: 'durable', fmt: 'json' })).text).count, 3);
});

test('ticket: name or name@version', async () => {
  const values = await python<number[][]>(`
put(by_path('ticket'), numbers(1))
put(by_path('ticket'), numbers(2))
result = [get(ticket)['n'].to_pylist() for ticket in ('ticket', 'ticket@1', 'ticket@2')]`);
  assert.deepEqual(values, [[2], [1], [2]]);
});

test('GetFlightInfo always hands out a pinned ticket', async () => {
  const result = await python<{ ticket: string; values: number[] }>(`
put(by_path('pinned'), numbers(1))
info = client.get_flight_info(by_path('pinned'))
put(by_path('pinned'), numbers(2))
ticket = info.endpoints[0].ticket
result = {'ticket': json.loads(ticket.ticket)['name'], 'values': client.do_get(ticket).read_all()['n'].to_pylist()}`);
  assert.deepEqual(result, { ticket: 'pinned@1', values: [1] });
});

test('tickets that begin with { name a version, by its id if they have one, or some of its rows', async () => {
  const result = await python<{ rows: number[][]; failure: Failure }>(`
put(by_path('range'), numbers(1, 2, 3, 4))
tickets = ({'name': 'range@1', 'offset': 1, 'limit': 2}, {'name': 'range', 'offset': 3}, {'name': 'range', 'limit': 1}, {'name': 'range', 'offset': 9})
result = {
    'rows': [get(json.dumps(ticket))['n'].to_pylist() for ticket in tickets],
    'failure': fails(lambda: get('{"part": 1}')),
}`);
  assert.deepEqual(result.rows, [[2, 3], [4], [1], []]);
  assert.match(result.failure.text, /no field "part"/);
});

test('GetFlightInfo keeps its single endpoint unless several are asked for', async () => {
  const counts = await python<number[]>(`
put(by_path('several'), numbers(*range(10)))
asked = (by_path('several'), by_command({'name': 'several'}), by_command({'name': 'several', 'endpoints': 4}), by_command({'name': 'several', 'endpoints': 64}))
result = [len(client.get_flight_info(each).endpoints) for each in asked]`);
  assert.deepEqual(counts, [1, 1, 4, 10]);
});

test('GetFlightInfo: PATH [name]; rows, bytes, schema; the manifest in app_metadata', async () => {
  const info = await python<{
    rows: number;
    bytes: number;
    schema: string;
    manifest: Record<string, unknown>;
  }>(`
put(by_path('info'), numbers(7, 8))
info = client.get_flight_info(by_path('info'))
result = {'rows': info.total_records, 'bytes': info.total_bytes, 'schema': str(info.schema), 'manifest': json.loads(info.app_metadata)}`);
  assert.equal(info.rows, 2);
  assert.ok(info.bytes > 0);
  assert.equal(info.schema, 'n: int64');
  assert.equal(info.manifest.handle, 'info@1');
});

test('GetSchema', async () => {
  assert.equal(
    await python(`
put(by_path('schema'), pa.table({'a': ['x']}, metadata={'k': 'v'}))
schema = client.get_schema(by_path('schema')).schema
result = [schema.names, schema.metadata == {b'k': b'v'}] == [['a'], True]`),
    true,
  );
});

test('ListFlights names what is held, and takes a prefix', async () => {
  const [names, some] = await python<string[][]>(`
for name in ('list-a', 'list-b', 'other-c'):
    put(by_path(name), numbers(1))
names = lambda criteria: sorted(info.descriptor.path[0].decode() for info in client.list_flights(criteria))
result = [names(b''), names(b'list-')]`);
  assert.ok(names?.includes('other-c'));
  assert.deepEqual(some, ['list-a', 'list-b']);
});

test('Handshake is answered by an open server', async () => {
  assert.equal(
    await python(`
class Nothing(flight.ClientAuthHandler):
    def authenticate(self, outgoing, incoming):
        outgoing.write(b'hello')
        incoming.read()
    def get_token(self):
        return b''
client.authenticate(Nothing())
result = True`),
    true,
  );
});

test('DoAction: the actions are listed by ListActions', async () => {
  const actions = await python<string[]>(
    `result = sorted(action.type for action in client.list_actions() if action.type.islower())`,
  );
  const own = [
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
  ];
  assert.deepEqual(actions, own);
});

test('DoAction versions: JSON in, JSON out', async () => {
  const [answer] = await python<{ versions: { version: number }[] }[]>(`
put(by_path('many'), numbers(1))
put(by_path('many'), numbers(2))
result = act('versions', {'name': 'many'})`);
  assert.deepEqual(
    answer?.versions.map(({ version }) => version),
    [2, 1],
  );
});

test('DoAction expire', async () => {
  const [first, second] = await python<{ expiresAt: string | null }[]>(`
put(by_path('expiring'), numbers(1))
result = act('expire', {'name': 'expiring', 'ttl': '1h'}) + act('expire', {'name': 'expiring', 'ttl': None})`);
  assert.ok(Date.parse(first?.expiresAt ?? '') > Date.now());
  assert.equal(second?.expiresAt, null);
});

test('DoAction drop', async () => {
  const result = await python<{ failure: Failure }>(`
put(by_path('dropping'), numbers(1))
act('drop', {'handle': 'dropping'})
result = {'failure': fails(lambda: get('dropping'))}`);
  assert.match(result.failure.text, /gone|dropped/i);
  assert.equal((await getText(`${framehold.url}/v1/frames/dropping`)).status, 410);
});

test('an unknown action, and a bad body, are refused with what is allowed', async () => {
  const [unknown, bad] = await python<Failure[]>(`
result = [fails(lambda: act('explode', {})), fails(lambda: act('drop', []))]`);
  assert.match(unknown?.text ?? '', /drop, undrop, restore, expire, keep, versions/);
  assert.match(bad?.text ?? '', /JSON object/);
});

test('unknown handle is NOT_FOUND, a bad one INVALID_ARGUMENT, with the code in the text', async () => {
  const failures = await python<Failure[]>(`
result = [fails(lambda: get('nobody')), fails(lambda: get('not a name')), fails(lambda: client.get_flight_info(by_path('nobody')))]`);
  assert.match(failures[0]?.text ?? '', /nobody/);
  assert.match(failures[0]?.kind ?? '', /Key|NotFound|Flight/i);
  assert.match(failures[1]?.kind ?? '', /Invalid/i);
  assert.match(failures[2]?.text ?? '', /nobody/);
});

test('a put that breaks off leaves nothing', async () => {
  const before = await python<number>(`result = len(list(client.list_flights()))`);
  await python(`
writer, reader = client.do_put(by_path('broken'), numbers(1).schema)
writer.write_table(numbers(1))
import os
sys.stdout.write('null\\n'); sys.stdout.flush(); os._exit(0)`);
  assert.equal(await python<number>(`result = len(list(client.list_flights()))`), before);
  assert.equal((await getText(`${framehold.url}/v1/frames/broken`)).status, 404);
});

test('a put without any batch is a frame without rows', async () => {
  const rows = await python<number>(`
writer, reader = client.do_put(by_path('no-batch'), numbers(1).schema)
writer.done_writing()
while reader.read() is not None:
    pass
writer.close()
result = get('no-batch').num_rows`);
  assert.equal(rows, 0);
});

test('what was put over Flight is read over HTTP, and the other way round', async () => {
  await python(`put(by_path('both-ways'), numbers(1, 2))`);
  assert.deepEqual(
    JSON.parse((await exec(framehold.url, { handle: 'both-ways', fmt: 'json' })).text).dataset,
    [[1], [2]],
  );
  const answer = await fetch(`${framehold.url}/v1/frames/from-http`, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body: 'n\n5\n',
  });
  assert.equal(answer.status, 201);
  assert.deepEqual(await python(`result = get('from-http')['n'].to_pylist()`), [5]);
});
