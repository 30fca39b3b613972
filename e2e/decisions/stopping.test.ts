/** What callers get whose requests have not ended when `server.drain_ms` is over, and what the server does not begin any more. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { PyArrowClient } from '../../server/test/flight/pyarrow-client.ts';
import { catalogParts } from '../../server/test/support/catalog-file.ts';
import { SlowReader } from '../../server/test/support/cluster/slow-reader.ts';
import { getText, putFrame } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { rawGet } from '../../server/test/support/raw-http.ts';
import { postSql } from '../sql/sql-client.ts';

const endless = 'select sum(sin(a.range * b.range)) from range(1000000) a, range(1000000) b';
const told = /cannot wait longer for this request.*Retry in a few seconds/s;

/** A body that never ends. */
function endlessBody(url: string, method: string, first: string) {
  const sent = request(url, { method, headers: { 'content-type': 'text/csv' }, agent: false });
  sent.on('error', () => {});
  sent.write(first);
  return once(sent, 'response').then(async ([answer]: IncomingMessage[]) => {
    let text = '';
    for await (const chunk of answer as IncomingMessage) text += String(chunk);
    return { status: (answer as IncomingMessage).statusCode, text };
  });
}

test('at the end of the drain time each caller gets an error that says what to do, nothing is half done, and the server ends well', async (t) => {
  const framehold = await Framehold.start({ env: { FRAMEHOLD_DRAIN_MS: '1500' } });
  t.after(async () => await framehold.remove());
  const { url, grpcUrl } = framehold;
  const { big } = await arrowBytes({ big: 'pa.table({"n": pa.array(range(2_000_000), pa.int64())})' });
  await putFrame(url, 'big', big);
  const python = new PyArrowClient();
  t.after(() => python.kill());
  await python.run(
    `
client = state['client'] = fl.connect(input)
writer, reader = client.do_put(path('flight'), pa.schema([('n', pa.int64())]))
writer.write_batch(pa.record_batch({'n': pa.array([1], pa.int64())}))
state['put'] = (writer, reader)`,
    grpcUrl,
  );
  const statement = postSql(url, endless);
  const change = postSql(url, endless, { into: 'made' });
  const upload = endlessBody(`${url}/v1/frames/half`, 'PUT', 'n\n1\n');
  const events = getText(`${url}/v1/events`);
  const reader = await SlowReader.begin(`${url}/exp?handle=big&fmt=ndjson`, '');
  await framehold.until('all are under way', async () => {
    const { text } = await getText(`${url}/metrics`);
    const count = (name: string) =>
      [...text.matchAll(new RegExp(`^framehold_${name}_open\\{[^}]*state="running"[^}]*\\} (\\d+)$`, 'gm'))]
        .map(([, number]) => Number(number))
        .reduce((sum, number) => sum + number, 0);
    return count('puts') >= 2 && count('sql') >= 2 ? true : null;
  });
  framehold.signal('SIGTERM');

  for (const answer of await Promise.all([statement, change])) {
    assert.equal(answer.status, 503, answer.text);
    assert.match(answer.text, told);
    assert.match(answer.text, /"code":"draining"/);
  }
  const uploaded = await upload;
  assert.deepEqual([uploaded.status, told.test(uploaded.text)], [503, true], uploaded.text);
  // Clients of events ask again, after the last one that they have.
  assert.equal((await events).status, 200);
  await assert.rejects(reader.finish(), /cut off|aborted/);
  const flight = await python.run(`
writer, reader = state['put']
try:
    reader.read()
    writer.close()
    answer = 'done'
except Exception as error:
    answer = type(error).__name__ + ': ' + str(error)`);
  assert.match(String(flight), /^FlightUnavailableError: .*Try again/s);
  await framehold.until('end', () => framehold.exit);
  assert.deepEqual(framehold.exit, { code: 0, signal: null });

  await framehold.start();
  const { text } = await getText(`${framehold.url}/v1/frames`);
  assert.deepEqual(
    (JSON.parse(text) as { frames: { handle: string }[] }).frames.map(({ handle }) => handle),
    ['big@1'],
  );
});

test('a server that stops begins no background work any more', async (t) => {
  const framehold = await Framehold.start({ env: { FRAMEHOLD_DRAIN_DELAY_MS: '60000' } });
  t.after(async () => await framehold.remove());
  const { big } = await arrowBytes({ big: 'pa.table({"n": pa.array(range(500_000), pa.int64())})' });
  const parquet = () => catalogParts(framehold.dataDirectory).map((part) => part.parquet);
  await putFrame(framehold.url, 'before', big);
  await framehold.until('it is transcoded', () => (parquet().includes('exact') ? true : null));
  const status = async () => (await rawGet(framehold.url, '/readyz')).status;
  assert.equal(await status(), 200);
  framehold.signal('SIGTERM');
  await framehold.until('503', async () => ((await status()) === 503 ? true : null));
  // Requests are still served.
  await putFrame(framehold.url, 'after', big);
  await timePasses(1_000, 'the first one was transcoded at once');
  assert.deepEqual(parquet().sort(), ['exact', 'none']);
  framehold.signal('SIGTERM');
  await framehold.until('end', () => framehold.exit);
});
