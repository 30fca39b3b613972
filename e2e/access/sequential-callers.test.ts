/** A tenant with a limit of 1 that does one thing after another is never refused: its slot is free when it has the answer. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { CommandStatementQuerySchema } from '../../server/src/flight/gen/FlightSql_pb.js';
import { packAny } from '../../server/src/flight/sql/any-message.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';

/** A slot that was free too late refused half of them. */
const count = 60;
let framehold: Framehold;

before(async () => {
  framehold = await Framehold.start({
    env: { FRAMEHOLD_TENANT_QUERIES_MAX: '1', FRAMEHOLD_TENANT_STREAMS_MAX: '1' },
  });
  const rows = Array.from({ length: 1_000 }, (_, index) => `${index},text ${index}`).join('\n');
  const put = await ask({
    method: 'PUT',
    path: '/v1/frames/held',
    type: 'text/csv',
    body: `n,text\n${rows}\n`,
  });
  assert.equal(put.status, 201, put.text);
  await framehold.until('it is transcoded', async () => (await transcoded()) || null);
});
after(() => framehold.remove());

async function transcoded(): Promise<boolean> {
  return (await ask({ path: '/v1/files/held@1.parquet' })).status === 200;
}

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly type?: string;
  readonly etag?: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly etag: string | undefined;
}

/** Ends with the last byte of the body: the next request is sent in the same turn. */
function ask(
  { path, method = 'GET', body, type, etag }: Asked,
  agent: Agent | false = false,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
    };
    const sent = request(framehold.url + path, { method, agent, headers }, (answer) => {
      const length = Number(answer.headers['content-length'] ?? Number.NaN);
      let text = '';
      let bytes = 0;
      const done = () => resolve({ status: answer.statusCode ?? 0, text, etag: answer.headers.etag });
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        bytes += chunk.length;
        if (bytes === length) done();
      });
      answer.on('end', done);
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function sql(text: string, parameters = ''): Asked {
  return { path: `/v1/sql${parameters}`, method: 'POST', type: 'application/sql', body: text };
}

/** Each after which the engine makes a new instance, which takes many times as long as the statement. */
const earlyEnds = 10;

const cases: readonly (readonly [string, (index: number) => Asked, number?])[] = [
  ['statements', (index) => sql(`select ${index} as n`)],
  ['statements whose answer is kept', () => sql('select count(*) as n from held')],
  [
    'statements of which a few rows are read',
    (index) => sql(`select range + ${index} from range(1000000)`, '?limit=1'),
    earlyEnds,
  ],
  ['rows', (index) => ({ path: `/v1/frames/held/rows?fmt=csv&offset=${index}&limit=3` })],
  ['tables as /exec has them', (index) => ({ path: `/exec?handle=held&fmt=json&limit=${index + 1}` })],
  ['files', () => ({ path: '/v1/files/held@1.parquet' })],
  ['puts', (index) => ({ path: '/v1/frames/put', method: 'PUT', type: 'text/csv', body: `n\n${index}\n` })],
];

describe('one request after another, at a limit of 1', () => {
  for (const [what, asked, times = count] of cases)
    for (const keepAlive of [true, false])
      test(`${what}, ${keepAlive ? 'over one connection' : 'over a new connection each'}`, async () => {
        const agent = keepAlive ? new Agent({ keepAlive: true, maxSockets: 1 }) : false;
        const refused: string[] = [];
        for (let index = 0; index < times; index++) {
          const { status, text } = await ask(asked(index), agent);
          if (status >= 300) refused.push(`${status} ${text}`);
        }
        if (agent !== false) agent.destroy();
        assert.deepEqual([refused.length, refused[0]], [0, undefined]);
      });

  test('files that the caller has already', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const path = '/v1/files/held@1.parquet';
    const { etag } = await ask({ path }, agent);
    const statuses = new Set<number>();
    for (let index = 0; index < count; index++) statuses.add((await ask({ path, etag }, agent)).status);
    agent.destroy();
    assert.deepEqual([...statuses], [304]);
  });
});

/** `once(client, index)` does one thing; the lines count how often it failed. */
async function overFlight(once: string, commands: readonly string[] = []): Promise<void> {
  const lines = `
${once}
refused = []
for fresh in (False, True):
    for index in range(0 if fresh else 1, given['count'], 2):
        connection = flight.connect(request['url']) if fresh else client
        error = fails(lambda: once(connection, index))
        if error: refused.append(error)
        if fresh: connection.close()
result = [len(refused), refused[:1]]
`;
  assert.deepEqual(await flightPython(framehold.grpcUrl, lines, { count, commands }), [0, []]);
}

describe('one call after another, at a limit of 1', () => {
  test('DoGet of a frame', () =>
    overFlight(`
def once(client, index):
    ticket = json.dumps({'name': 'held', 'offset': index, 'limit': 2})
    client.do_get(flight.Ticket(ticket.encode())).read_all()
`));

  test('DoPut', () =>
    overFlight(`
def once(client, index):
    writer, reader = client.do_put(by_path('flown'), numbers(index).schema)
    writer.write_table(numbers(index))
    writer.done_writing()
    reader.read()
`));

  test('GetFlightInfo and DoGet of a statement', () =>
    overFlight(
      `
import base64
def once(client, index):
    info = client.get_flight_info(by_command(base64.b64decode(given['commands'][index])))
    client.do_get(info.endpoints[0].ticket).read_all()
`,
      Array.from({ length: count }, (_, index) => command(`select n + ${index} as n from held limit 10`)),
    ));

  test('GetFlightInfo of other statements, whose rows nobody fetches', () =>
    overFlight(
      `
import base64
def once(client, index):
    client.get_flight_info(by_command(base64.b64decode(given['commands'][index])))
`,
      Array.from({ length: count }, (_, index) => command(`select n - ${index} as n from held limit 10`)),
    ));

  test('prepared statements, with ADBC', async () => {
    const lines = `
import adbc_driver_flightsql.dbapi as dbapi
refused = []
def once(index):
    with connection.cursor() as cursor:
        cursor.execute(f'select n * {index} as n from held limit 10')
        cursor.fetchall()
with dbapi.connect(request['url']) as connection:
    for index in range(given):
        error = fails(lambda: once(index))
        if error: refused.append(error)
result = [len(refused), refused[:1]]
`;
    assert.deepEqual(await flightPython(framehold.grpcUrl, lines, count), [0, []]);
  });
});

function command(query: string): string {
  return Buffer.from(packAny(CommandStatementQuerySchema, { query })).toString('base64');
}
