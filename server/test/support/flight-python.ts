import { runPython } from './python.ts';

const preamble = `
import json, sys
import pyarrow as pa
import pyarrow.flight as flight
request = json.load(sys.stdin)
client = flight.connect(request['url'])
given = request['given']

def put(descriptor, table, options=None):
    writer, reader = client.do_put(descriptor, table.schema, options) if options else client.do_put(descriptor, table.schema)
    writer.write_table(table)
    writer.done_writing()
    results = []
    while (one := reader.read()) is not None:
        results.append(json.loads(one.to_pybytes()))
    writer.close()
    return results

def by_path(*path):
    return flight.FlightDescriptor.for_path(*path)

def by_command(value):
    return flight.FlightDescriptor.for_command(value if isinstance(value, (bytes, str)) else json.dumps(value))

def get(ticket):
    return client.do_get(flight.Ticket(ticket.encode())).read_all()

def act(kind, value):
    return [json.loads(one.body.to_pybytes()) for one in client.do_action(flight.Action(kind, json.dumps(value).encode()))]

def fails(call):
    try:
        call()
    except Exception as error:
        return {'kind': type(error).__name__, 'text': str(error)}
    return None

numbers = lambda *values: pa.table({'n': pa.array(values, pa.int64())})
result = None
`;

/** Runs Python lines with a connected pyarrow Flight client; what they leave in \`result\` comes back. */
export async function flightPython(grpcUrl: string, lines: string, given: unknown = null): Promise<unknown> {
  const script = `${preamble}\n${lines}\nprint(json.dumps(result, default=str))\n`;
  return await runPython(['-c', script], { url: grpcUrl, given });
}
