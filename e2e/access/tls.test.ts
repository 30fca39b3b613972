import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { Framehold, runFramehold } from '../../server/test/support/framehold-process.ts';
import { frameholdToken, newToken } from '../../server/test/support/framehold-tokens.ts';
import { runPython } from '../../server/test/support/python.ts';
import { rawHttp } from '../../server/test/support/raw-http.ts';
import { TestAuthority } from '../../server/test/support/test-authority.ts';

const authority = new TestAuthority();
const server = authority.signServer();
const notebook = authority.sign('/CN=notebook');
const otherAuthority = new TestAuthority('Somebody else').sign('/CN=notebook');
let framehold: Framehold;
let token: string;

before(async () => {
  framehold = await Framehold.start({
    env: {
      FRAMEHOLD_TLS_CERT_FILE: server.cert,
      FRAMEHOLD_TLS_KEY_FILE: server.key,
      FRAMEHOLD_TLS_CLIENT_CA_FILE: authority.cert,
      FRAMEHOLD_TLS_RELOAD_MS: '100',
    },
  });
  token = newToken(framehold.dataDirectory, 'a', 'write');
  frameholdToken(
    framehold.dataDirectory,
    'create',
    '--tenant',
    'b',
    '--scope',
    'write',
    '--certificate',
    'notebook',
  );
});
after(() => framehold.remove());

interface Files {
  readonly cert: string;
  readonly key: string;
}

function get(path: string, client: Files | null, headers: Record<string, string> = {}): Promise<number> {
  const own = client === null ? {} : { cert: readFileSync(client.cert), key: readFileSync(client.key) };
  return new Promise((resolve, reject) => {
    const asked = request(`${framehold.url}${path}`, {
      ca: readFileSync(authority.cert),
      headers,
      agent: false,
      ...own,
    });
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}

test('the ready file and the greeting name the schemes of TLS', () => {
  assert.match(framehold.url, /^https:\/\/127/);
  assert.match(framehold.grpcUrl, /^grpc\+tls:\/\/127/);
});

test('HTTP over TLS takes a token or a certificate, and nothing else', async () => {
  assert.equal(await get('/ping', null), 200);
  assert.equal(await get('/v1/frames', null), 401);
  assert.equal(await get('/v1/frames', null, { authorization: `Bearer ${token}` }), 200);
  assert.equal(await get('/v1/frames', notebook), 200);
  assert.equal(await get('/v1/frames', otherAuthority), 401);
});

const flightScript = `
import json, sys
import pyarrow as pa, pyarrow.flight as flight
import adbc_driver_flightsql.dbapi as adbc
from adbc_driver_flightsql import DatabaseOptions
given = json.load(sys.stdin)
root = open(given['ca'], 'rb').read()
cert, key = open(given['cert'], 'rb').read(), open(given['key'], 'rb').read()
table = pa.table({'n': [1, 2, 3]})
def put(client, name, options):
    writer, _ = client.do_put(flight.FlightDescriptor.for_path(name), table.schema, options)
    writer.write_table(table)
    writer.close()
def tried(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__
bearer = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given['token'].encode())])
plain = flight.connect(given['url'], tls_root_certs=root)
mutual = flight.connect(given['url'], tls_root_certs=root, cert_chain=cert, private_key=key)
put(plain, 'of_a', bearer)
put(mutual, 'of_b', flight.FlightCallOptions())
names = lambda client, options: [one.descriptor.path[0].decode() for one in client.list_flights(options=options)]
with adbc.connect(given["url"], db_kwargs={
    DatabaseOptions.TLS_ROOT_CERTS.value: root.decode(),
    DatabaseOptions.MTLS_CERT_CHAIN.value: cert.decode(),
    DatabaseOptions.MTLS_PRIVATE_KEY.value: key.decode(),
}) as connection, connection.cursor() as cursor:
    cursor.execute('select sum(n) from of_b')
    summed = int(cursor.fetchone()[0])
print(json.dumps({
    'nobody': tried(lambda: names(plain, flight.FlightCallOptions())),
    'a': names(plain, bearer), 'b': names(mutual, flight.FlightCallOptions()), 'adbc': summed,
}))
`;

test('Flight over TLS knows callers by token and by certificate', async () => {
  const given = { url: framehold.grpcUrl, ca: authority.cert, token, ...notebook };
  assert.deepEqual(await runPython(['-c', flightScript], given), {
    nobody: 'FlightUnauthenticatedError',
    a: ['of_a'],
    b: ['of_b'],
    adbc: 6,
  });
});

function shownSerial(url: string): Promise<string> {
  const { hostname, port } = new URL(url.replace('grpc+tls:', 'https:'));
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
  });
}

test('a renewed certificate counts for new connections of both listeners, without a restart', async () => {
  const before = [await shownSerial(framehold.url), await shownSerial(framehold.grpcUrl)];
  assert.equal(before[0], before[1]);
  authority.signServer(server);
  for (const url of [framehold.url, framehold.grpcUrl])
    await framehold.until('new certificate', async () =>
      (await shownSerial(url)) === before[0] ? null : true,
    );
  assert.equal(await get('/v1/frames', notebook), 200);
});

test('a key without its certificate is one line at the start', async () => {
  const { code, output } = await runFramehold(['server', '--tls-key-file', server.key]);
  assert.equal(code, 1);
  assert.match(output, /TLS needs a certificate and its key/);
});

test('the answer to plain HTTP says that the port speaks HTTPS, and at the gRPC port that it speaks gRPC', async () => {
  const plain = framehold.url.replace('https:', 'http:');
  for (const request of [
    'GET /ping HTTP/1.1\r\nhost: localhost\r\n\r\n',
    'POST /v1/sql HTTP/1.0\r\n\r\nbody',
  ]) {
    const answer = await rawHttp(plain, request);
    assert.equal(answer.status, 400);
    assert.equal(answer.headers['content-type'], 'application/problem+json');
    assert.match(JSON.parse(answer.body.toString()).detail, /speaks HTTPS/);
    const grpc = await rawHttp(framehold.grpcUrl.replace(/^grpc[^:]*:/, 'http:'), request);
    assert.equal(grpc.status, 400);
    assert.match(grpc.body.toString(), /speaks gRPC \(Arrow Flight\) over TLS/);
  }
});
