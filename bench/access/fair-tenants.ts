/**
 * What one tenant waits while another floods the same door: `node bench/access/fair-tenants.ts [checkout] [HTTP | Flight]`. The median of a request alone, and among the flood, in the
 * same minute on the same server; and what a client costs the others that only describes statements over Flight SQL. With the path of another checkout, its server is measured.
 */
import { Agent, request } from 'node:http';
import { join, resolve } from 'node:path';
import { CommandStatementQuerySchema } from '../../server/src/flight/gen/FlightSql_pb.js';
import { packAny } from '../../server/src/flight/sql/any-message.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';
import { median } from '../suite/statistics.ts';

const connections = 100;
/** Of pyarrow, whose threads share one interpreter. */
const flightConnections = 20;
const samples = 5;
const checkout = resolve(process.argv[2] ?? join(import.meta.dirname, '..', '..'));
/** Both if it is absent. */
const only = process.argv[3];
const framehold = await Framehold.start({
  command: [process.execPath, join(checkout, 'server', 'src', 'main.ts')],
  env: {
    FRAMEHOLD_SQL_PROCESSES_MAX: '2',
    FRAMEHOLD_SQL_QUEUE_WAIT_MS: '300000',
    FRAMEHOLD_FRAMES_READS_MAX: '2',
    FRAMEHOLD_FRAMES_PUTS_MAX: '2',
    FRAMEHOLD_FRAMES_QUEUE_WAIT_MS: '300000',
    FRAMEHOLD_CACHE_RENDERED_BYTES_MAX: '0',
  },
});
using credentials = new TestCredentials(framehold.dataDirectory);
const tokenOf = (tenant: string) => credentials.create({ tenant, scopes: ['write'], name: tenant });
const tokens = { flood: tokenOf('flood'), other: tokenOf('other') };
type Who = keyof typeof tokens;

const agent = new Agent({ keepAlive: true });
const rows = `n,text\n${Array.from({ length: 20_000 }, (_, index) => `${index},text ${index}`).join('\n')}\n`;
let asked = 0;

function ask(who: Who, path: string, method = 'GET', type = '', body = ''): Promise<void> {
  return new Promise((done, fail) => {
    const headers = {
      authorization: `Bearer ${tokens[who]}`,
      ...(type === '' ? {} : { 'content-type': type }),
    };
    const sent = request(framehold.url + path, { method, agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () =>
        (answer.statusCode ?? 0) < 300 ? done() : fail(new Error(`${path}: ${answer.statusCode}`)),
      );
      answer.on('error', fail);
    });
    sent.on('error', fail);
    sent.end(body);
  });
}

function text(): string {
  asked += 1;
  return `select count(*) as n from range(100000) a where (a.range * ${asked}) % 7 = 3`;
}

const doors: Readonly<Record<string, (who: Who) => Promise<void>>> = {
  'HTTP, statements': (who) => ask(who, '/v1/sql', 'POST', 'application/sql', text()),
  'HTTP, rows': (who) => ask(who, `/v1/frames/held/rows?fmt=csv&offset=${asked++ % 1_000}`),
  'HTTP, puts': (who) => ask(who, `/v1/frames/made_${asked++ % 50}`, 'PUT', 'text/csv', rows),
};

async function medianMs(send: (who: Who) => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < samples; index++) {
    const began = performance.now();
    await send('other');
    times.push(performance.now() - began);
  }
  return median(times);
}

/** Sends as the flood over this many connections until `work` has ended. */
async function during<Result>(
  send: (who: Who) => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  let isOver = false;
  const senders = Array.from({ length: connections }, async () => {
    while (!isOver) await send('flood');
  });
  for (let index = 0; index < 3; index++) await send('flood');
  const result = await work();
  isOver = true;
  await Promise.all(senders);
  return result;
}

function report(door: string, alone: number, flooded: number, count = connections): void {
  const ratio = (flooded / alone).toFixed(1);
  console.log(
    `${door}: ${alone.toFixed(1)} ms alone, ${flooded.toFixed(1)} ms among ${count} connections, ${ratio} times`,
  );
}

for (const who of ['flood', 'other'] as const) await ask(who, '/v1/frames/held', 'PUT', 'text/csv', rows);
for (const [door, send] of only === 'Flight' ? [] : Object.entries(doors)) {
  await medianMs(send);
  const alone = await medianMs(send);
  report(door, alone, await during(send, () => medianMs(send)));
}

/** Flight SQL in threads of pyarrow: the same flood, and one client that only asks for columns. */
const commands = (count: number, query: (index: number) => string) =>
  Array.from({ length: count }, (_, index) =>
    Buffer.from(packAny(CommandStatementQuerySchema, { query: query(index) })).toString('base64'),
  );
const flown =
  only === 'HTTP'
    ? null
    : ((await flightPython(
        framehold.grpcUrl,
        `
import base64, statistics, threading, time
def options(who):
    return flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given[who].encode())])
texts = iter(given['texts'])
lock = threading.Lock()
def once(who, own, fetches=True, from_=None):
    with lock:
        command = base64.b64decode(next(from_ or texts))
    info = own.get_flight_info(by_command(command), options(who))
    if fetches: own.do_get(info.endpoints[0].ticket, options(who)).read_all()
def sample(count):
    times = []
    for _ in range(count):
        began = time.perf_counter()
        once('other', client)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000
over = False
def flood(fetches, from_):
    with flight.connect(request['url']) as own:
        while not over: once('flood', own, fetches, from_)
def during(count, fetches, from_=None):
    global over
    over = False
    threads = [threading.Thread(target=flood, args=(fetches, from_)) for _ in range(count)]
    for thread in threads: thread.start()
    sample(2)
    result = sample(given['samples'])
    over = True
    for thread in threads: thread.join()
    return result
sample(given['samples'])
result = [sample(given['samples']), during(given['connections'], True), sample(given['samples']), during(1, False, iter(given['described']))]
`,
        {
          ...tokens,
          samples,
          connections: flightConnections,
          texts: commands(
            20_000,
            (index) =>
              `select count(*) + ${index} as n from range(100000) a where (a.range * ${index}) % 7 = 3`,
          ),
          described: commands(20_000, (index) => `select n + ${index} as n from held`),
        },
      )) as [number, number, number, number]);
if (flown !== null) {
  const [alone, flooded, again, described] = flown;
  report('Flight, statements', alone, flooded, flightConnections);
  console.log(
    `Flight, statements beside one client that only describes: ${again.toFixed(1)} ms alone, ${described.toFixed(1)} ms, ${(described / again).toFixed(1)} times`,
  );
}
agent.destroy();
await framehold.remove();
