import assert from 'node:assert/strict';
import { type ClientHttp2Session, connect } from 'node:http2';
import { after, before, test } from 'node:test';
import { exec, putFrame } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({ configFile: '[server]\nmax_connections = 2\n' });
});
after(async () => await framehold.remove());

test('8. limit defaults to 1000 rows on GET /exec in handle mode', async () => {
  const { rows } = await arrowBytes({ rows: `pa.table({'n': pa.array(range(1001), pa.int64())})` });
  await putFrame(framehold.url, 'rows', rows);
  assert.equal(JSON.parse((await exec(framehold.url, { handle: 'rows', fmt: 'json' })).text).count, 1000);
});

test('8. max_connections of the gRPC server: one more is refused, and taken once another has gone', async () => {
  const first = await open();
  const second = await open();
  assert.ok(first && second);
  assert.equal(await open(), null);
  await new Promise<void>((resolve) => first.close(resolve));
  const third = await framehold.until('free connection', open);
  third.close();
  second.close();
});

/** A gRPC connection that has been greeted, or null if the server closed it. */
async function open(): Promise<ClientHttp2Session | null> {
  const session = connect(framehold.grpcUrl.replace(/^grpc/, 'http'));
  return await new Promise((resolve) => {
    session.on('error', () => resolve(null));
    session.on('close', () => resolve(null));
    // A connection above the limit may be greeted before it is closed: only one that stays counts.
    session.on('remoteSettings', () => {
      session.ping((error) => resolve(error || session.closed ? null : session));
    });
  });
}
