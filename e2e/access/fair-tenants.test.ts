/** One tenant floods a door. What another sends is served after a few of the flood's requests, not after all of them. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { CommandStatementQuerySchema } from '../../server/src/flight/gen/FlightSql_pb.js';
import { packAny } from '../../server/src/flight/sql/any-message.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';

const flooding = 100;
/** Those that run, one turn of the flood, and what ends while the answer is on its way. In order of arrival it would be all of them. */
const servedBeforeMax = flooding / 2;

let framehold: Framehold;
let credentials: TestCredentials;
let tokens: Record<'flood' | 'acme', string>;

before(async () => {
  framehold = await Framehold.start({
    env: {
      FRAMEHOLD_SQL_PROCESSES_MAX: '1',
      FRAMEHOLD_SQL_QUEUE_MAX: '1000',
      FRAMEHOLD_SQL_QUEUE_WAIT_MS: '300000',
      FRAMEHOLD_FRAMES_READS_MAX: '1',
      FRAMEHOLD_FRAMES_PUTS_MAX: '1',
      FRAMEHOLD_FRAMES_QUEUE_MAX: '1000',
      FRAMEHOLD_FRAMES_QUEUE_WAIT_MS: '300000',
      FRAMEHOLD_CACHE_RENDERED_BYTES_MAX: '0',
    },
  });
  credentials = new TestCredentials(framehold.dataDirectory);
  const make = (tenant: string) => credentials.create({ tenant, scopes: ['write'], name: tenant });
  tokens = { flood: make('flood'), acme: make('acme') };
  for (const who of ['flood', 'acme'] as const) assert.equal(await put(who, 'held'), 201);
});
after(async () => {
  credentials[Symbol.dispose]();
  await framehold.remove();
});

type Who = keyof typeof tokens;

const rows = `n,text\n${Array.from({ length: 20_000 }, (_, index) => `${index},text ${index}`).join('\n')}\n`;
const agent = new Agent({ keepAlive: false });

function ask(who: Who, path: string, method = 'GET', type = '', body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${tokens[who]}`,
      ...(type === '' ? {} : { 'content-type': type }),
    };
    const sent = request(framehold.url + path, { method, agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function put(who: Who, name: string): Promise<number> {
  return ask(who, `/v1/frames/${name}`, 'PUT', 'text/csv', rows);
}

function statement(index: number): string {
  return `select count(*) + ${index} as n from range(300000) a where (a.range * ${index + 3}) % 7 = 3`;
}

/** How many of the flood's requests have been answered when the other's is. */
async function servedBefore(send: (who: Who, index: number) => Promise<number>): Promise<number> {
  let served = 0;
  const all = Array.from({ length: flooding }, async (_, index) => {
    const status = await send('flood', index);
    served += 1;
    return status;
  });
  // All have been sent then: they were sent at once, and are served one after another.
  await framehold.until('some are answered', () => (served >= 3 ? true : null));
  const before = served;
  const status = await send('acme', flooding);
  const since = served - before;
  const statuses = new Set([...(await Promise.all(all)), status]);
  assert.ok(
    [...statuses].every((each) => each < 300),
    [...statuses].join(),
  );
  return since;
}

describe('while one tenant floods HTTP, another is served in turn', () => {
  test('statements', async () => {
    const since = await servedBefore((who, index) =>
      ask(who, '/v1/sql', 'POST', 'application/sql', statement(index)),
    );
    assert.ok(since <= servedBeforeMax, `after ${since} of ${flooding}`);
  });

  test('rows', async () => {
    const since = await servedBefore((who, index) =>
      ask(who, `/v1/frames/held/rows?fmt=csv&offset=${index}`),
    );
    assert.ok(since <= servedBeforeMax, `after ${since} of ${flooding}`);
  });

  test('puts', async () => {
    const since = await servedBefore((who, index) => put(who, `made_${index}`));
    assert.ok(since <= servedBeforeMax, `after ${since} of ${flooding}`);
  });
});

/** The same with pyarrow, in threads. `once(client, options, index)` does one thing. */
async function servedBeforeOverFlight(once: string, given: object): Promise<number> {
  const lines = `
import base64, threading
${once}
served = 0
failed = []
lock = threading.Lock()
def options(who):
    return flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given[who].encode())])
def send(who, index):
    global served
    try:
        with flight.connect(request['url']) as own:
            once(own, options(who), index)
    except Exception as error:
        failed.append(str(error))
    with lock:
        served += 1
count = given['count']
threads = [threading.Thread(target=send, args=('flood', index)) for index in range(count)]
for thread in threads: thread.start()
# The last of the flood has been sent when several of it have been answered: each takes as long as the ones before it.
while served < 3: threads[0].join(0.001)
before = served
send('acme', count)
since = served - before - 1
for thread in threads: thread.join()
result = [since, failed[:1]]
`;
  const [since, failed] = (await flightPython(framehold.grpcUrl, lines, {
    ...given,
    ...tokens,
    count: flooding,
  })) as [number, string[]];
  assert.deepEqual(failed, []);
  return since;
}

describe('while one tenant floods Flight, another is served in turn', () => {
  test('statements', async () => {
    const commands = Array.from({ length: flooding + 1 }, (_, index) =>
      Buffer.from(packAny(CommandStatementQuerySchema, { query: statement(1_000 + index) })).toString(
        'base64',
      ),
    );
    const since = await servedBeforeOverFlight(
      `
def once(client, options, index):
    info = client.get_flight_info(by_command(base64.b64decode(given['commands'][index])), options)
    client.do_get(info.endpoints[0].ticket, options).read_all()
`,
      { commands },
    );
    assert.ok(since <= servedBeforeMax, `after ${since} of ${flooding}`);
  });

  test('puts', async () => {
    const since = await servedBeforeOverFlight(
      `
table = numbers(*range(50000))
def once(client, options, index):
    writer, reader = client.do_put(by_path(f'flown_{index}'), table.schema, options)
    writer.write_table(table)
    writer.done_writing()
    reader.read()
    writer.close()
`,
      {},
    );
    assert.ok(since <= servedBeforeMax, `after ${since} of ${flooding}`);
  });
});
