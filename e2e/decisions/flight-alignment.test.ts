/** What pyarrow reads over Flight is aligned: it takes buffers out of messages as they are, and warns of those that are not. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  CommandGetTableTypesSchema,
  CommandStatementQuerySchema,
} from '../../server/src/flight/gen/FlightSql_pb.js';
import { packAny } from '../../server/src/flight/sql/any-message.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(async () => await framehold.remove());

/** How many buffers begin at no multiple of 8, and how often Acero warned while it grouped the rows. */
const lookPython = `
import os, tempfile

def warnings(work):
    """What C++ writes goes past Python's sys.stderr."""
    with tempfile.TemporaryFile() as told:
        kept = os.dup(2)
        os.dup2(told.fileno(), 2)
        try:
            work()
        finally:
            os.dup2(kept, 2)
        told.seek(0)
        return told.read().count(b'poorly aligned')

def look(table, key, value):
    chunks = [chunk for column in table.columns for chunk in column.chunks]
    buffers = [buffer for chunk in chunks for buffer in chunk.buffers() if buffer is not None and buffer.size > 0]
    odd = sum(buffer.address % 8 != 0 for buffer in buffers)
    return [odd, 0 if key is None else warnings(lambda: table.group_by(key).aggregate([(value, 'sum')]))]
`;

test('the rows of the README’s example, read and grouped', async () => {
  const csv =
    'time,symbol,price,size\n2024-02-29T12:30:00.123456,BTC-USD,62000.5,0.25\n2024-02-29T12:30:01,ETH-USD,3400,2\n';
  await send(framehold.url, '/v1/frames/trades', csv, { type: 'text/csv', status: 201 });
  const result = await flightPython(
    framehold.grpcUrl,
    `${lookPython}\nresult = [look(get('trades'), 'symbol', 'size') for _ in range(5)]`,
  );
  assert.deepEqual(result, Array(5).fill([0, 0]));
});

test('batches of any size, many in a row', async () => {
  const bytes = inLongRun(200_000_000, 8_000_000);
  const result = await flightPython(
    framehold.grpcUrl,
    `${lookPython}
import numpy as np
result = {}
for name, rows, chunk in [('tiny', 300, 1), ('small', 30_000, 77), ('frame', 8_000, 1_020), ('large', given // 48 * 2, 65_536)]:
    table = pa.table({'k': np.arange(rows) % 7, 'v': np.arange(rows) * 0.5, 'o': pa.array([None, 1] * (rows // 2), pa.int64())})
    writer, reader = client.do_put(by_path(name), table.schema)
    writer.write_table(table, max_chunksize=chunk)
    writer.done_writing()
    reader.read()
    writer.close()
    read = get(name)
    result[name] = look(read, 'k', 'v') + [read.equals(table)]`,
    bytes,
  );
  const aligned = [0, 0, true];
  assert.deepEqual(result, { tiny: aligned, small: aligned, frame: aligned, large: aligned });
});

test('results of SQL, and tables of metadata', async () => {
  const commands = [
    packAny(CommandStatementQuerySchema, { query: "select 'a' as k, 1.5 as v, n from range(10) t(n)" }),
    packAny(CommandStatementQuerySchema, {
      query: 'select n % 3 as k, n::double as v from range(50000) t(n)',
    }),
    packAny(CommandGetTableTypesSchema, {}),
  ].map((command) => Buffer.from(command).toString('base64'));
  const result = await flightPython(
    framehold.grpcUrl,
    `${lookPython}
import base64
def rows(command):
    info = client.get_flight_info(flight.FlightDescriptor.for_command(base64.b64decode(command)))
    return client.do_get(info.endpoints[0].ticket).read_all()
first, second, types = [rows(command) for command in given]
result = [look(first, 'k', 'v'), look(second, 'k', 'v'), look(types, None, None)]`,
    commands,
  );
  assert.deepEqual(result, Array(3).fill([0, 0]));
});
