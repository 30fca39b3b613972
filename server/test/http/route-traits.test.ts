import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fastify from 'fastify';
import { addBrowserHook } from '../../src/http/hooks/browser-hook.ts';
import { OfferedPaths } from '../../src/http/offered-paths.ts';
import { securityHeaders } from '../../src/http/response/security-headers.ts';
import { noteTraits } from '../../src/http/route-traits.ts';
import { resource } from '../../src/http/routes/resource.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { Observation } from '../../src/ports/observation.ts';
import { openAuthenticator } from '../frames/open-authenticator.ts';
import { getText } from '../support/frame-client.ts';
import { eventually } from '../support/patience.ts';
import { type BareListener, openBrowserRules, startBareListener } from './bare-listener.ts';

const observations: Observation[] = [];
let listener: BareListener;

before(async () => {
  listener = await startBareListener({
    authenticator: {
      ...openAuthenticator,
      authenticate() {
        throw new FrameholdError('unauthenticated', 'No credential.');
      },
    },
    observe: (observation) => observations.push(observation),
  });
});
after(() => listener.close());

const status = async (method: string, path: string, headers: Record<string, string> = {}) =>
  (await getText(listener.url + path, { method, headers })).status;

test('only probes and the console answer without a credential, with any method', async () => {
  for (const path of ['/ping', '/healthz', '/readyz']) {
    assert.equal(await status('GET', path), 200, path);
    assert.equal(await status('HEAD', path), 200, path);
    assert.equal(await status('POST', path), 405, path);
  }
  for (const path of ['/', '/assets/x.js']) {
    assert.equal(await status('GET', path), 404, 'this server has no console');
    assert.equal(await status('POST', path), 405, path);
  }
  for (const path of ['/metrics', '/exec', '/exp', '/v1/frames', '/v1/openapi.json', '/nowhere', '/Ping'])
    for (const method of ['GET', 'HEAD', 'POST']) assert.equal(await status(method, path), 401, path);
});

test('only /ping answers pages of all sites', async () => {
  const cross = { 'sec-fetch-site': 'cross-site' };
  assert.equal(await status('GET', '/ping', cross), 200);
  for (const path of ['/healthz', '/readyz', '/metrics', '/exec', '/v1/frames', '/nowhere'])
    assert.equal(await status('GET', path, cross), 403, path);
});

test('a request is observed under the label of its route', async () => {
  const labels: readonly (readonly [path: string, route: string, isProbe: boolean])[] = [
    ['/ping', '/ping', true],
    ['/metrics', '/metrics', true],
    ['/v1/frames/a/rows', '/v1/frames/:handle/rows', false],
    ['/nowhere', 'none', false],
  ];
  for (const [index, [path, route, isProbe]] of labels.entries()) {
    const id = `label-${index}`;
    const find = () => observations.find((each) => each.event === 'http-request' && each.requestId === id);
    await getText(listener.url + path, { headers: { 'x-request-id': id } });
    await eventually(`${path} is observed`, () => find() !== undefined);
    assert.partialDeepStrictEqual(find(), { route, isProbe });
  }
});

test('a page declares its own policy, and keeps the other security headers', async () => {
  await using app = Object.assign(fastify(), {
    async [Symbol.asyncDispose]() {
      await app.close();
    },
  });
  app.addHook('onRequest', (request, _reply, done) => {
    noteTraits(request);
    done();
  });
  addBrowserHook(app, openBrowserRules, () => {});
  const policy = "default-src 'self'";
  app.decorate('offeredPaths', new OfferedPaths());
  resource(app, '/page', {
    traits: { headers: { ...securityHeaders, 'content-security-policy': policy } },
    GET: { schema: {}, handler: (_request, reply) => reply.type('text/html').send('<p>') },
  });
  const { headers } = await app.inject('/page');
  assert.equal(headers['content-security-policy'], policy);
  assert.equal(headers['x-frame-options'], 'DENY');
  const elsewhere = await app.inject('/elsewhere');
  assert.equal(elsewhere.headers['content-security-policy'], securityHeaders['content-security-policy']);
});
