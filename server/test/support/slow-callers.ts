/** Callers whose requests take as long as a test says: what a restart of a node must not cut off. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { PyArrowClient } from '../flight/pyarrow-client.ts';
import { timePasses } from './passing-time.ts';

export interface SlowAnswer {
  readonly status: number;
  /** Which node has answered. */
  readonly node: string | null;
  /** Steps that were put, or bytes that were read. */
  readonly count: number;
}

const stepMs = 100;

/** More than the least that a body must bring in a second. */
const rowsPerStep = 50;

/** Puts a frame of one column, some rows at a time. */
export async function slowPut(
  url: string,
  credential: string,
  name: string,
  seconds: number,
): Promise<SlowAnswer> {
  const headers = { authorization: credential, 'content-type': 'text/csv' };
  const sent = request(`${url}/v1/frames/${name}`, { method: 'PUT', headers, agent: false });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => {});
  sent.write('n\n');
  for (let step = 0; step < (seconds * 1_000) / stepMs && !sent.destroyed; step++) {
    sent.write(`${step}\n`.repeat(rowsPerStep));
    await timePasses(stepMs, 'the pace of a slow upload');
  }
  sent.end();
  const [answer] = await answered;
  const body = await textOf(answer);
  if (answer.statusCode !== 201) throw new Error(`${answer.statusCode} ${body}`);
  const { rows } = JSON.parse(body) as { rows: number };
  return { status: 201, node: nodeOf(answer), count: rows / rowsPerStep };
}

/** Reads the whole of an answer, at an even pace. */
export async function slowGet(
  url: string,
  credential: string,
  path: string,
  bytes: number,
  seconds: number,
): Promise<SlowAnswer> {
  const sent = request(url + path, { headers: { authorization: credential }, agent: false });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const bytesPerMs = bytes / (seconds * 1_000);
  const began = performance.now();
  let count = 0;
  for await (const chunk of answer) {
    count += (chunk as Buffer).length;
    const aheadMs = count / bytesPerMs - (performance.now() - began);
    if (aheadMs > stepMs) await timePasses(aheadMs, 'the pace of a slow reader');
  }
  if (!answer.complete) throw new Error('the answer was cut off');
  return { status: answer.statusCode ?? 0, node: nodeOf(answer), count };
}

/** The same over Flight: several puts and reads at once, on one connection. Answers the rows of each, or why it failed. */
export async function slowFlight(
  python: PyArrowClient,
  grpcUrl: string,
  credential: string,
  names: { readonly puts: readonly string[]; readonly get: string; readonly gets: number },
  seconds: number,
): Promise<readonly (number | string)[]> {
  const lines = `
client = fl.connect(input['url'])
options = fl.FlightCallOptions(headers=[(b'authorization', input['credential'].encode())])
seconds = input['seconds']

def slow_put(name):
    batch = pa.record_batch({'n': pa.array(range(10), pa.int64())})
    writer, reader = client.do_put(path(name), batch.schema, options)
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        writer.write_batch(batch)
        time.sleep(0.1)
    writer.done_writing()
    rows = json.loads(reader.read().to_pybytes())['rows']
    writer.close()
    return rows

def slow_get(_):
    rows = 0
    begun = time.monotonic()
    for batch in client.do_get(fl.Ticket(input['get'].encode()), options):
        rows += batch.data.num_rows
        ahead = seconds * rows / input['rows'] - (time.monotonic() - begun)
        if ahead > 0:
            time.sleep(ahead)
    return rows

def note(key, call, name):
    try:
        answers[key] = call(name)
    except Exception as error:
        answers[key] = str(error)[:300]

answers = {}
work = [(slow_put, name) for name in input['puts']] + [(slow_get, n) for n in range(input['gets'])]
threads = [threading.Thread(target=note, args=(key, *each)) for key, each in enumerate(work)]
for thread in threads: thread.start()
for thread in threads: thread.join()
answer = [answers[key] for key in range(len(work))]`;
  const given = { url: grpcUrl, credential, seconds, ...names, rows: flightRows };
  return (await python.run(lines, given)) as (number | string)[];
}

/** Rows of the frame that `slowFlight` reads. */
export const flightRows = 4_000_000;

function nodeOf(answer: IncomingMessage): string | null {
  const node = answer.headers['framehold-node'];
  return typeof node === 'string' ? node : null;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return text;
}
