import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { after, before, test } from 'node:test';
import { PyArrowClient } from '../../server/test/flight/pyarrow-client.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { assertProblem, getText, putFrame, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { patienceMs } from '../../server/test/support/patience.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { rawGet } from '../../server/test/support/raw-http.ts';

let framehold: Framehold;
let frame: Buffer<ArrayBuffer>;
before(async () => {
  framehold = await Framehold.start({ flags: ['--public-url', 'https://frames.example.test/base'] });
  frame = (await arrowBytes({ frame: `pa.table({'n': pa.array(range(2000000), pa.int64())})` })).frame;
  await putFrame(framehold.url, 'frame', frame);
});
after(async () => await framehold.remove());

const get = (target: string) => getText(framehold.url + target);

test('/exp without a handle is 400; an unknown one 404', async () => {
  assertProblem(await get('/exp?fmt=csv'), 400, 'bad_request');
  assertProblem(await get('/exp?handle=nobody&fmt=csv'), 404, 'frame_not_found');
});

test('/healthz and /readyz answer 200', async () => {
  assert.equal((await get('/healthz')).status, 200);
  assert.equal((await get('/readyz')).status, 200);
});

test('/metrics answers in the text format of Prometheus', async () => {
  const answer = await get('/metrics');
  assert.equal(answer.status, 200);
  assert.match(answer.type ?? '', /^text\/plain/);
  assert.match(answer.text, /^# TYPE framehold_http_requests_total counter$/m);
});

test('/v1/openapi.json describes every route', async () => {
  const description = JSON.parse((await get('/v1/openapi.json')).text);
  assert.match(description.openapi, /^3\./);
  const operations = Object.entries(description.paths as Record<string, Record<string, unknown>>)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
    .filter((operation) => !operation.startsWith('head '));
  assert.deepEqual(operations.sort(), [
    'delete /v1/frames/{handle}',
    'delete /v1/frames/{handle}/links/{id}',
    'delete /v1/frames/{handle}/shares/{tenant}',
    'delete /v1/frames/{handle}/tags/{tag}',
    'delete /v1/history',
    'delete /v1/queries/{id}',
    'delete /v1/saved-queries/{name}',
    'get /',
    'get /assets/{file}',
    'get /exec',
    'get /exp',
    'get /healthz',
    'get /metrics',
    'get /ping',
    'get /readyz',
    'get /v1/events',
    'get /v1/files/{file}',
    'get /v1/frames',
    'get /v1/frames/{handle}',
    'get /v1/frames/{handle}/diff',
    'get /v1/frames/{handle}/links',
    'get /v1/frames/{handle}/notes',
    'get /v1/frames/{handle}/rows',
    'get /v1/frames/{handle}/shares',
    'get /v1/frames/{handle}/statistics',
    'get /v1/frames/{handle}/tags',
    'get /v1/frames/{handle}/versions',
    'get /v1/functions',
    'get /v1/history',
    'get /v1/openapi.json',
    'get /v1/queries',
    'get /v1/queries/{id}',
    'get /v1/saved-queries',
    'get /v1/shared',
    'get /v1/sql',
    'get /v1/status',
    'get /v1/tenant',
    'get /v1/tenants',
    'get /v1/tenants/{tenant}',
    'patch /v1/frames/{handle}',
    'patch /v1/frames/{handle}/notes',
    'patch /v1/tenants/{tenant}',
    'post /v1/frames',
    'post /v1/frames/{handle}/links',
    'post /v1/frames/{handle}/restore',
    'post /v1/frames/{handle}/rows',
    'post /v1/frames/{handle}/undrop',
    'post /v1/sql',
    'put /v1/frames/{handle}',
    'put /v1/frames/{handle}/shares/{tenant}',
    'put /v1/frames/{handle}/tags/{tag}',
    'put /v1/saved-queries/{name}',
  ]);
});

test('public_url is what Location headers and next links say', async () => {
  const answer = await send(framehold.url, '/v1/frames', frame, { method: 'POST', status: 201 });
  assert.match(
    answer.headers.get('location') ?? '',
    /^https:\/\/frames\.example\.test\/base\/v1\/frames\/f_/,
  );
  const page = await get('/v1/frames/frame/rows?limit=1');
  assert.match(page.headers.get('link') ?? '', /^<https:\/\/frames\.example\.test\/base\/v1\//);
});

test('gRPC is Arrow Flight: GetFlightInfo endpoints can be used as they are', async () => {
  const rows = await flightPython(
    framehold.grpcUrl,
    `
info = client.get_flight_info(by_path('frame'))
endpoint = info.endpoints[0]
for location in endpoint.locations:
    client = flight.connect(location) if b'://' in location.uri else client
result = client.do_get(endpoint.ticket).read_all().num_rows`,
  );
  assert.equal(rows, 2_000_000);
});

test('polars and pandas read what is held', async () => {
  const result = await flightPython(
    framehold.grpcUrl,
    `
import polars, pandas
table = get('frame')
result = [polars.from_arrow(table)['n'].sum(), int(table.to_pandas()['n'].sum())]`,
  );
  assert.deepEqual(result, [1999999000000, 1999999000000]);
});

test('gRPC health is served', async () => {
  const session = connect(framehold.grpcUrl.replace(/^grpc/, 'http'));
  const request = session.request({
    ':method': 'POST',
    ':path': '/grpc.health.v1.Health/Check',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  // One message without fields: the health of the whole server.
  request.end(Buffer.alloc(5));
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [trailers] = (await once(request, 'trailers')) as [Record<string, string>];
  session.close();
  assert.equal(String(trailers['grpc-status']), '0');
  // Field 1, a varint: 1 is SERVING.
  assert.deepEqual([...Buffer.concat(chunks)], [0, 0, 0, 0, 2, 8, 1]);
});

test('X-Forwarded headers are not believed by default', async () => {
  await rawGet(framehold.url, '/v1/frames?prefix=forwarded', { 'x-forwarded-for': '203.0.113.9' });
  await framehold.until('log line', () =>
    framehold.lines.some((line) => line.includes('"route":"/v1/frames"')) ? true : null,
  );
  assert.ok(!(await framehold.linesUntilNow()).some((line) => line.includes('203.0.113.9')));
});

test('caller goes away: the read is cancelled', async () => {
  const controller = new AbortController();
  const answer = await fetch(`${framehold.url}/exp?handle=frame&fmt=ndjson`, { signal: controller.signal });
  await answer.body?.getReader().read();
  controller.abort();
  await framehold.until('broken answer in the metrics', async () => {
    const { text } = await get('/metrics');
    return /framehold_http_responses_broken_total\{[^}]*\} [1-9]/.test(text) ? true : null;
  });
});

test('SIGTERM drains: an open answer ends whole, new requests are turned away, the process ends with 0', async () => {
  const own = await Framehold.start({ env: { FRAMEHOLD_DRAIN_MS: String(patienceMs) } });
  await putFrame(own.url, 'frame', frame);
  const answer = await fetch(`${own.url}/exp?handle=frame&fmt=ndjson`);
  const reader = answer.body?.getReader();
  let bytes = (await reader?.read())?.value?.length ?? 0;
  own.signal('SIGTERM');
  await own.until('new requests are turned away', async () => {
    const late = await fetch(`${own.url}/readyz`).then(
      ({ status }) => status,
      () => 0,
    );
    return late === 503 || late === 0 ? true : null;
  });
  for (;;) {
    const next = await reader?.read();
    if (!next || next.done) break;
    bytes += next.value.length;
  }
  assert.equal(
    bytes,
    Array.from({ length: 2_000_000 }, (_, row) => `{"n":${row}}\n`.length).reduce((sum, one) => sum + one, 0),
  );
  // Not stop(): a second signal would cut the drain short.
  await own.until('end', () => own.exit);
  assert.deepEqual(own.exit, { code: 0, signal: null });
  await own.remove();
});

test('SIGTERM: a server stays until its last answer was received, which is later than the answer was sent', async (t) => {
  const own = await Framehold.start({ env: { FRAMEHOLD_DRAIN_MS: String(patienceMs) } });
  t.after(async () => await own.remove());
  await putFrame(own.url, 'frame', frame);
  const python = new PyArrowClient();
  t.after(() => python.kill());
  // Few enough for the server's kernel to take them all, and far more than the reader's kernel takes without being read.
  const limit = 50_000;
  const { hostname, port } = new URL(own.url);
  await python.run(
    `
import socket
client = state['socket'] = socket.socket()
client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
client.connect((input['hostname'], int(input['port'])))
client.sendall(f"GET /exp?handle=frame&fmt=ndjson&limit={input['limit']} HTTP/1.0\\r\\n\\r\\n".encode())`,
    { hostname, port, limit },
  );
  const isSent = (line: string) => line.includes('"http-request"') && line.includes('"/exp"');
  await own.until('the answer was sent', () => (own.lines.some(isSent) ? true : null));
  own.signal('SIGTERM');
  await own.until('503', async () => ((await rawGet(own.url, '/readyz')).status === 503 ? true : null));
  await timePasses(1_000, 'a server that does not wait for the reader has ended long before');
  assert.equal((await rawGet(own.url, '/readyz')).status, 503);
  const rows = await python.run(`
data = b''
while chunk := state['socket'].recv(65536):
    data += chunk
answer = data.split(b'\\r\\n\\r\\n', 1)[1].count(b'\\n')`);
  assert.equal(rows, limit);
  await own.until('end', () => own.exit);
  assert.deepEqual(own.exit, { code: 0, signal: null });
});

test('a balancer sees 503 at /readyz while the server still serves; a second signal ends the wait', async () => {
  const own = await Framehold.start({ env: { FRAMEHOLD_DRAIN_DELAY_MS: '60000' } });
  const status = (path: string) => rawGet(own.url, path).then((answer) => answer.status);
  assert.equal(await status('/readyz'), 200);
  own.signal('SIGTERM');
  await own.until('503', async () => ((await status('/readyz')) === 503 ? true : null));
  assert.equal(await status('/v1/frames'), 200);
  own.signal('SIGTERM');
  await own.until('end', () => own.exit);
  assert.deepEqual(own.exit, { code: 1, signal: null });
  await own.remove();
});
