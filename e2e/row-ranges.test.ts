/** One frame read as several ranges of rows at the same time is the same frame, for every type and in every form. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { catalogParts } from '../server/test/support/catalog-file.ts';
import { flightPython } from '../server/test/support/flight-python.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { newToken } from '../server/test/support/framehold-tokens.ts';
import { runPython } from '../server/test/support/python.ts';

const script = join(import.meta.dirname, 'python', 'row_ranges.py');

type Faults = Readonly<Record<string, string | null>>;

async function assertRanges(framehold: Framehold, put: boolean): Promise<void> {
  const faults = (await runPython([script], { url: framehold.grpcUrl, put })) as Faults;
  assert.ok(Object.keys(faults).length >= 30, 'at least 30 cases');
  const wrong = Object.entries(faults).filter(([, fault]) => fault !== null);
  assert.deepEqual(wrong, []);
}

test('ranges of every type are the rows of a plain read, from Arrow and from Parquet', async () => {
  const framehold = await Framehold.start({ env: { FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '200' } });
  try {
    await assertRanges(framehold, true);
    await framehold.until('settled frames', () =>
      catalogParts(framehold.dataDirectory).every(
        ({ parquet, refusal }) => parquet !== 'none' || refusal !== null,
      )
        ? true
        : null,
    );
    await framehold.stop();
    // No room for Arrow forms beside Parquet: all that may go, goes.
    await framehold.start({ SERVICE_CACHE_SIZE: '0' });
    const parts = await framehold.until('evicted Arrow forms', () => {
      const now = catalogParts(framehold.dataDirectory);
      return now.some(({ parquet, hasArrow }) => parquet === 'exact' && hasArrow) ? null : now;
    });
    assert.ok(parts.filter(({ hasArrow }) => !hasArrow).length >= 20, 'Parquet forms only');
    await assertRanges(framehold, false);
  } finally {
    await framehold.remove();
  }
});

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(async () => await framehold.remove());

const python = <Result>(lines: string, given: unknown = null) =>
  flightPython(framehold.grpcUrl, lines, given) as Promise<Result>;

const ranges = `
def in_ranges(name, count):
    info = client.get_flight_info(by_command({'name': name, 'endpoints': count}))
    return [json.loads(each.ticket.ticket) for each in info.endpoints]

def rows_of(tickets):
    return [get(json.dumps(each))['n'].to_pylist() for each in tickets]
`;

test('ranges end where parts end, if a part ends near', async () => {
  const tickets = await python<unknown>(`${ranges}
put(by_path('parts'), numbers(*range(90)))
for start, end in ((90, 210), (210, 310), (310, 400)):
    put(by_command({'name': 'parts', 'mode': 'append'}), numbers(*range(start, end)))
tickets = in_ranges('parts', 4)
assert sum(rows_of(tickets), []) == list(range(400))
assert len({each.pop('id') for each in tickets}) == 1
result = tickets`);
  assert.deepEqual(tickets, [
    { name: 'parts@4', offset: 0, limit: 90 },
    { name: 'parts@4', offset: 90, limit: 120 },
    { name: 'parts@4', offset: 210, limit: 100 },
    { name: 'parts@4', offset: 310, limit: 90 },
  ]);
});

test('a frame without rows has one endpoint, with its schema', async () => {
  const result = await python<{ tickets: string[]; schema: string; rows: number }>(`
put(by_path('empty'), numbers())
info = client.get_flight_info(by_command({'name': 'empty', 'endpoints': 8}))
table = client.do_get(info.endpoints[0].ticket).read_all()
result = {'tickets': [json.loads(each.ticket.ticket)['name'] for each in info.endpoints], 'schema': str(table.schema), 'rows': table.num_rows}`);
  assert.deepEqual(result, { tickets: ['empty@1'], schema: 'n: int64', rows: 0 });
});

test('the ranges stay with their version while the frame is replaced, and fail once it is dropped', async () => {
  const result = await python<{ rows: number[][]; dropped: { text: string } }>(`${ranges}
put(by_path('moving'), numbers(1, 2, 3, 4))
tickets = in_ranges('moving', 2)
put(by_path('moving'), numbers(9))
rows = rows_of(tickets)
act('drop', {'name': 'moving'})
result = {'rows': rows, 'dropped': fails(lambda: rows_of(tickets))}`);
  assert.deepEqual(result.rows, [
    [1, 2],
    [3, 4],
  ]);
  assert.match(result.dropped.text, /moving/);
});

test('GetSchema takes the same descriptor', async () => {
  const schema = await python<string>(`
put(by_path('described'), numbers(1))
result = str(client.get_schema(by_command({'name': 'described', 'endpoints': 4})).schema)`);
  assert.equal(schema, 'n: int64');
});

test('a range is read only by those who may read the frame', async () => {
  const server = await Framehold.start();
  try {
    const [a, b, c] = ['a', 'b', 'c'].map((tenant) => newToken(server.dataDirectory, tenant, 'write'));
    const lines = `${ranges}
def as_tenant(token):
    return flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + token.encode())])

a, b, c = (as_tenant(token) for token in given)
put(by_path('theirs'), numbers(1, 2, 3), a)
list(client.do_action(flight.Action('share', b'{"name": "theirs", "tenant": "b"}'), a))
wanted = by_command({'name': 'a:theirs', 'endpoints': 3})
info = client.get_flight_info(wanted, b)
read = lambda options: [client.do_get(each.ticket, options).read_all()['n'].to_pylist() for each in info.endpoints]
result = {
    'tickets': [json.loads(each.ticket.ticket)['name'] for each in info.endpoints],
    'shared': read(b),
    'own': read(a),
    'stranger': fails(lambda: read(c)),
    'nobody': fails(lambda: read(None)),
    'described': fails(lambda: client.get_flight_info(wanted, c)),
}`;
    const result = (await flightPython(server.grpcUrl, lines, [a, b, c])) as {
      readonly tickets: string[];
      readonly shared: number[][];
      readonly own: number[][];
      readonly stranger: { readonly text: string };
      readonly nobody: { readonly kind: string };
      readonly described: { readonly text: string };
    };
    assert.deepEqual(result.tickets, ['a:theirs@1', 'a:theirs@1', 'a:theirs@1']);
    assert.deepEqual(result.shared, [[1], [2], [3]]);
    assert.deepEqual(result.own, [[1], [2], [3]]);
    assert.match(result.stranger.text, /There is no frame/);
    assert.match(result.described.text, /There is no frame/);
    assert.match(result.nobody.kind, /Unauthenticated/);
  } finally {
    await server.remove();
  }
});
