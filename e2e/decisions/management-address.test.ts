/** Probes and metrics on an address of their own, of a server that requires credentials. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { freePort } from '../../server/test/support/free-port.ts';

const made: Framehold[] = [];
after(async () => {
  for (const each of made) {
    // Told to stop, it would go on for a minute.
    await each.kill();
    await each.remove();
  }
});

async function started(): Promise<{ readonly framehold: Framehold; readonly url: string }> {
  const url = `127.0.0.1:${await freePort()}`;
  const framehold = Framehold.prepare({
    flags: ['--auth-required', '--management-address', url, '--drain-delay-ms', '60000'],
  });
  made.push(framehold);
  await framehold.start();
  return { framehold, url: `http://${url}` };
}

const statusOf = async (url: string) => (await fetch(url)).status;

test('probes and metrics need no credential there, and nothing else is there', async () => {
  const { framehold, url } = await started();
  assert.equal(await statusOf(`${framehold.url}/metrics`), 401);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^framehold_ready 1$/m);
  assert.equal(await (await fetch(`${url}/ping`)).text(), 'ok');
  assert.equal(await (await fetch(`${url}/readyz`)).text(), 'ready');
  for (const path of ['/v1/frames', '/exec?query=select+1', '/exp?handle=a', '/v1/status'])
    assert.equal(await statusOf(url + path), 404, path);
  await framehold.until('its address among the first lines', () =>
    framehold.lines.some((line) => line.includes(`Probes  ${url}`)) ? true : null,
  );
});

test('a server that stops is alive and not ready, until it has stopped', async () => {
  const { framehold, url } = await started();
  assert.equal(await statusOf(`${url}/readyz`), 200);
  process.kill(framehold.pid, 'SIGTERM');
  await framehold.until('not ready', async () => ((await statusOf(`${url}/readyz`)) === 503 ? true : null));
  assert.equal(await (await fetch(`${url}/readyz`)).text(), 'The server is stopping.');
  assert.equal(await statusOf(`${url}/healthz`), 200);
});
