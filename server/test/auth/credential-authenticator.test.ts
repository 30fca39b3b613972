import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LinkSigner } from '../../src/auth/link-signer.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { Credentials } from '../../src/ports/authenticator.ts';
import type { LinkKeys } from '../../src/ports/link-keys.ts';
import { stoppedClock } from '../support/stopped-clock.ts';
import { SampleAuthenticator } from './sample-authenticator.ts';

const visit = { remote: '10.0.0.1', requestId: 'r1' };
const nothing: Credentials = { authorization: undefined, link: undefined, certificate: null };
const bearer = (token: string): Credentials => ({ ...nothing, authorization: `Bearer ${token}` });
const basic = (user: string, password: string): Credentials => ({
  ...nothing,
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const certificateOf = (...names: string[]) => ({ names, validUntil: Date.now() + 3_600_000 });
/** What other processes change is looked at again only after this. */
const noticedMs = 50;

function oneKey(id: string | null, byte: number): LinkKeys {
  const newest = { id, bytes: new Uint8Array(32).fill(byte) };
  return { newest, find: (wanted) => (wanted === id ? newest : null) };
}

function readLinkKey({ folder }: SampleAuthenticator): Buffer {
  return readFileSync(join(folder, 'links.key'));
}

async function refusal(sample: SampleAuthenticator, credentials: Credentials): Promise<string> {
  try {
    await sample.authenticator.authenticate(credentials, visit);
  } catch (error) {
    assert(error instanceof FrameholdError);
    assert.equal(error.kind, 'unauthenticated');
    return error.message;
  }
  throw new Error('was let in');
}

test('without credentials everybody may do everything', async () => {
  using sample = new SampleAuthenticator();
  assert.equal(sample.authenticator.isOpen, true);
  const caller = await sample.authenticator.authenticate(bearer('whatever'), visit);
  assert.deepEqual([caller.tenant, caller.name, caller.scopes.has('admin')], ['default', 'anonymous', true]);
  assert.equal(caller.remote, '10.0.0.1');
});

test('the first token closes a running server, and revoking the last does not open it', async (context) => {
  const clock = stoppedClock(context);
  using sample = new SampleAuthenticator();
  assert.equal(sample.authenticator.isOpen, true);
  const { id, token } = sample.create({ scopes: ['write'] });
  clock.pass(noticedMs);
  assert.equal(sample.authenticator.isOpen, false);
  assert.match(await refusal(sample, nothing), /none was given/);
  const caller = await sample.authenticator.authenticate(bearer(token), visit);
  assert.deepEqual([caller.tenant, [...caller.scopes].sort()], ['a', ['read', 'write']]);
  assert.equal(sample.tokens.revoke(id), id);
  clock.pass(noticedMs);
  assert.match(await refusal(sample, bearer(token)), /was revoked at/);
  assert.equal(sample.authenticator.isOpen, false);
});

test('a credential counts from the moment it was made, the first one as well', async () => {
  using sample = new SampleAuthenticator();
  // Each time the server has looked a moment ago, and found nothing.
  assert.equal((await sample.authenticator.authenticate(nothing, visit)).tenant, 'default');
  const first = sample.create();
  assert.equal((await sample.authenticator.authenticate(bearer(first.token), visit)).tenant, 'a');
  const second = sample.create({ tenant: 'b' });
  assert.equal((await sample.authenticator.authenticate(bearer(second.token), visit)).tenant, 'b');
  sample.create({ tenant: 'c', certificate: 'CN:loader' });
  const certificate = certificateOf('CN:loader');
  assert.equal((await sample.authenticator.authenticate({ ...nothing, certificate }, visit)).tenant, 'c');
});

test('a server that requires credentials is closed without any', async () => {
  using sample = new SampleAuthenticator({ required: true });
  assert.equal(sample.authenticator.isOpen, false);
  assert.match(await refusal(sample, nothing), /requires a credential/);
});

test('a token ends with its time', async () => {
  using sample = new SampleAuthenticator();
  const { token } = sample.create({ ttlMs: 60_000 });
  await sample.authenticator.authenticate(bearer(token), visit);
  sample.nowMs += 61_000;
  assert.match(await refusal(sample, bearer(token)), /expired at/);
});

test('who does not know the secret learns nothing about the token', async (context) => {
  const clock = stoppedClock(context);
  using sample = new SampleAuthenticator();
  const { id, token } = sample.create();
  sample.tokens.revoke(id);
  clock.pass(noticedMs);
  const wrong = `fh_${id}_${'A'.repeat(43)}`;
  const unknown = `fh_${'a'.repeat(12)}_${'A'.repeat(43)}`;
  assert.equal(await refusal(sample, bearer(wrong)), await refusal(sample, bearer(unknown)));
  assert.notEqual(await refusal(sample, bearer(token)), await refusal(sample, bearer(wrong)));
});

test('a token is also the password of any user', async () => {
  using sample = new SampleAuthenticator();
  const { token } = sample.create({ name: 'grafana' });
  for (const user of ['ada', '', 'a:b'.slice(0, 1)])
    assert.equal((await sample.authenticator.authenticate(basic(user, token), visit)).name, 'grafana');
  assert.match(await refusal(sample, basic('ada', 'x')), /not one of this server/);
});

const unreadable = ['Bearer', 'Bearer  ', 'Basic ???', 'Digest abc', 'x', `Bearer ${'x'.repeat(20_000)}`];
for (const authorization of unreadable) {
  test(`the header ${JSON.stringify(authorization.slice(0, 20))} opens nothing`, async () => {
    using sample = new SampleAuthenticator({ required: true });
    await refusal(sample, { ...nothing, authorization });
  });
}

test('each refusal is in the audit log, without the credential', async () => {
  using sample = new SampleAuthenticator({ required: true });
  const secret = `fh_${'a'.repeat(12)}_${'S'.repeat(43)}`;
  await refusal(sample, bearer(secret));
  await refusal(sample, basic('ada', secret));
  assert.equal(sample.observations.length, 2);
  const [first] = sample.observations;
  assert(first?.event === 'audit');
  assert.deepEqual(
    [first.action, first.outcome, first.reason, first.remote, first.requestId],
    ['enter', 'refused', 'unauthenticated', '10.0.0.1', 'r1'],
  );
  assert(!JSON.stringify(sample.observations).includes('SSS'));
});

test('a certificate is whom its name was given to', async (context) => {
  const clock = stoppedClock(context);
  using sample = new SampleAuthenticator({ required: true });
  const { id } = sample.create({ tenant: 'b', certificate: 'URI:spiffe://house/loader', scopes: ['write'] });
  clock.pass(noticedMs);
  const certificate = certificateOf('DNS:loader', 'URI:spiffe://house/loader', 'CN:loader');
  assert.equal((await sample.authenticator.authenticate({ ...nothing, certificate }, visit)).tenant, 'b');
  await refusal(sample, { ...nothing, certificate: certificateOf('CN:spiffe://house/loader') });
  // A header was sent on purpose: it counts, even if it is wrong.
  await refusal(sample, { ...bearer('nonsense'), certificate });
  sample.tokens.revoke(id);
  clock.pass(noticedMs);
  assert.match(await refusal(sample, { ...nothing, certificate }), /revoked/);
});

test('a certificate does not open as a token', async () => {
  using sample = new SampleAuthenticator();
  const { id } = sample.create({ certificate: 'CN:x' });
  await refusal(sample, bearer(`fh_${id}_${'A'.repeat(43)}`));
});

test('a link opens one version, in the URL or as a bearer, until it expires', async () => {
  using sample = new SampleAuthenticator({ required: true });
  const link = sample.links.sign({
    tenant: 'a',
    name: 'trades',
    version: 3,
    expiresAt: sample.nowMs + 1_000,
  });
  for (const credentials of [{ ...nothing, link }, bearer(link)]) {
    const caller = await sample.authenticator.authenticate(credentials, visit);
    assert.deepEqual(
      [caller.tenant, caller.link, caller.scopes.size],
      ['a', { name: 'trades', version: 3 }, 0],
    );
  }
  sample.nowMs += 1_001;
  assert.match(await refusal(sample, { ...nothing, link }), /link expired/);
});

test('a link that was changed in any character opens nothing', async () => {
  using sample = new SampleAuthenticator({ required: true });
  const link = sample.links.sign({
    tenant: 'a',
    name: 'trades',
    version: 3,
    expiresAt: sample.nowMs + 1_000,
  });
  for (let at = 0; at < link.length - 1; at++) {
    const other = link[at] === 'A' ? 'B' : 'A';
    await refusal(sample, { ...nothing, link: link.slice(0, at) + other + link.slice(at + 1) });
  }
  const foreign = new LinkSigner(oneKey(null, 0)).sign({
    tenant: 'a',
    name: 't',
    version: 1,
    expiresAt: 9e15,
  });
  await refusal(sample, { ...nothing, link: foreign });
});

test('keys of links follow each other: a link names its key, and ends with it', () => {
  const [first, second] = [oneKey('k1', 1), oneKey('k2', 2)];
  const link = new LinkSigner(first).sign({ tenant: 'a', name: 't', version: 1, expiresAt: 9e15 });
  assert.match(link, /^fhl_k1\./);
  const both: LinkKeys = { newest: second.newest, find: (id) => first.find(id) ?? second.find(id) };
  assert.equal(new LinkSigner(both).read(link)?.tenant, 'a');
  assert.equal(new LinkSigner(second).read(link), null);
  assert.equal(new LinkSigner(second).read(link.replace('k1', 'k2')), null);
});

test('a revoked link opens nothing from the next request on, and what waits with it is refused', async () => {
  using sample = new SampleAuthenticator({ required: true });
  const expiresAt = sample.nowMs + 1_000;
  const of = { tenant: 'a', name: 'trades', version: 3, expiresAt };
  const [link, other] = ['one', 'two'].map((id) => sample.links.sign({ ...of, id })) as [string, string];
  const waiting = await sample.authenticator.authenticate(bearer(link), visit);
  assert.equal(waiting.link?.id, 'one');
  assert.deepEqual(await sample.authenticator.linked(link), { ...of, id: 'one' });
  sample.revoked.add('one');
  sample.links.revoked('one');
  assert.equal(waiting.isCurrent(), false);
  for (const credentials of [{ ...nothing, link }, bearer(link)])
    await assert.rejects(async () => sample.authenticator.authenticate(credentials, visit), {
      kind: 'link_revoked',
    });
  assert.equal(sample.observations.length, 2);
  assert.partialDeepStrictEqual(sample.observations[1], { action: 'enter', reason: 'link_revoked' });
  assert.equal(await sample.authenticator.linked(link), null);
  const untouched = await sample.authenticator.authenticate(bearer(other), visit);
  assert.equal(untouched.isCurrent(), true);
});

test('a link from before links had ids is in force until it expires', async () => {
  using sample = new SampleAuthenticator({ required: true });
  // As servers signed them: tenant, name, version, expiry, and the incarnation if it was not the first.
  for (const fields of [
    ['a', 't', 1, sample.nowMs + 1],
    ['a', 't', 1, sample.nowMs + 1, 2],
  ]) {
    const content = Buffer.from(JSON.stringify(fields)).toString('base64url');
    const seal = createHmac('sha256', readLinkKey(sample)).update(`framehold link 1\n${content}`);
    const link = `fhl_${content}.${seal.digest('base64url')}`;
    const { link: linked } = await sample.authenticator.authenticate(bearer(link), visit);
    assert.deepEqual(linked, { name: 't', version: 1, ...(fields.length === 5 ? { incarnation: 2 } : {}) });
    assert.equal((await sample.authenticator.linked(link))?.name, 't');
  }
});

test('on an open server a link that has ended is refused, and what is no link of ours is ignored', async () => {
  using sample = new SampleAuthenticator();
  const of = { tenant: 'a', name: 't', version: 1, expiresAt: sample.nowMs + 1_000, id: 'one' };
  const link = sample.links.sign(of);
  const enter = async (shown: string) =>
    (await sample.authenticator.authenticate({ ...nothing, link: shown }, visit)).name;
  assert.equal(await enter(link), 'anonymous');
  assert.equal(await enter(`${link}x`), 'anonymous');
  assert.equal(await sample.authenticator.linked(`${link}x`), null);
  sample.revoked.add('one');
  await assert.rejects(() => enter(link), { kind: 'link_revoked' });
  sample.revoked.clear();
  sample.nowMs += 1_001;
  await assert.rejects(() => enter(link), /link expired/);
  assert.equal(await sample.authenticator.linked(link), null);
});

test('only the owner may read the files of credentials, and no secret is in them', () => {
  using sample = new SampleAuthenticator();
  const { token } = sample.create();
  const secret = token.slice(-43);
  for (const name of ['credentials.sqlite', 'credentials.sqlite-wal', 'links.key']) {
    const path = join(sample.folder, name);
    assert.equal(statSync(path).mode & 0o077, 0, name);
    assert(!readFileSync(path, 'latin1').includes(secret), name);
  }
});

test('an operator is of no tenant and nothing else, and only a token can be one', async () => {
  using sample = new SampleAuthenticator();
  const { token } = sample.create({ tenant: 'a', scopes: ['operator', 'write'] });
  const operator = await sample.authenticator.authenticate(bearer(token), visit);
  assert.deepEqual([operator.tenant, [...operator.scopes].sort()], ['', ['metrics', 'operator']]);
  sample.create({ tenant: 'a', scopes: ['operator', 'read'], certificate: 'CN:sly' });
  const sly = await sample.authenticator.authenticate(
    { ...nothing, certificate: certificateOf('CN:sly') },
    visit,
  );
  assert.deepEqual([sly.tenant, [...sly.scopes]], ['a', ['read']]);
});

test('a tenant that asks too often is refused with its name in the audit log, and operators are not counted', async () => {
  using sample = new SampleAuthenticator();
  const { token } = sample.create();
  const other = sample.create({ tenant: 'b' });
  const operator = sample.create({ tenant: '', scopes: ['operator'] });
  sample.rate = { requestsPerSecond: 1, requestsBurst: 2 };
  const enter = async (shown: string) => sample.authenticator.authenticate(bearer(shown), visit);
  await enter(token);
  const known = await enter(token);
  await assert.rejects(
    enter(token),
    (error) =>
      error instanceof FrameholdError && error.kind === 'rate_limited' && error.retryAfterSeconds === 1,
  );
  await enter(other.token);
  for (let count = 0; count < 5; count++) await enter(operator.token);
  const lines = sample.observations.flatMap((each) =>
    each.event === 'audit' ? [[each.action, each.outcome, each.reason, each.tenant, each.caller]] : [],
  );
  assert.deepEqual(lines, [['enter', 'refused', 'rate_limited', 'a', known.name]]);
  sample.nowMs += 1_000;
  await enter(token);
});
