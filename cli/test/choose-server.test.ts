import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chooseServer } from '../src/connection/choose-server.ts';
import { profilesFile, readProfiles, writeProfiles } from '../src/connection/profiles.ts';
import { Options } from '../src/options.ts';

const home = mkdtempSync(join(tmpdir(), 'framehold-profiles-'));
after(() => rmSync(home, { recursive: true, force: true }));
const environment = { HOME: home };
const options = (given: Record<string, string> = {}) =>
  new Options(new Map(Object.entries(given).map(([name, value]) => [name, [value]])));

test('without anything, the local default and no token', () => {
  const { url, urlFrom, token } = chooseServer(options(), environment);
  assert.deepEqual([url, urlFrom, token], ['http://127.0.0.1:9000', 'default', undefined]);
});

test('flag, then variable, then profile', () => {
  writeProfiles(environment, {
    current: 'lab',
    profiles: {
      lab: { url: 'http://lab:9000', token: 'lab-token' },
      home: { url: 'https://home/frames/', token: 'home-token' },
    },
  });
  assert.equal(statSync(profilesFile(environment)).mode & 0o777, 0o600);
  const chosen = (given: Record<string, string>, more: Record<string, string> = {}) => {
    const { url, token } = chooseServer(options(given), { ...environment, ...more });
    return [url, token];
  };
  assert.deepEqual(chosen({}), ['http://lab:9000', 'lab-token']);
  assert.deepEqual(chosen({ profile: 'home' }), ['https://home/frames/', 'home-token']);
  assert.deepEqual(chosen({}, { FRAMEHOLD_PROFILE: 'home' }), ['https://home/frames/', 'home-token']);
  // The token of a profile goes to its own server only.
  assert.deepEqual(chosen({ url: 'http://other:9000' }), ['http://other:9000', undefined]);
  assert.deepEqual(chosen({ url: 'http://other:9000', profile: 'lab' }), ['http://other:9000', undefined]);
  assert.deepEqual(chosen({ url: 'https://home/frames' }), ['https://home/frames', 'home-token']);
  assert.deepEqual(chosen({}, { FRAMEHOLD_URL: 'http://x:1', FRAMEHOLD_TOKEN: 't' }), ['http://x:1', 't']);
  assert.deepEqual(chosen({ url: 'http://y:1' }, { FRAMEHOLD_URL: 'http://x:1' }), ['http://y:1', undefined]);
  assert.throws(() => chosen({ profile: 'labb' }), /no profile "labb"/);
});

test('files that others can read are refused', () => {
  const file = join(home, 'token');
  writeFileSync(file, 'secret\n', { mode: 0o644 });
  assert.throws(() => chooseServer(options({ 'token-file': file }), environment), /Other users can access/);
  chmodSync(file, 0o600);
  assert.equal(chooseServer(options({ 'token-file': file }), environment).token, 'secret');
  chmodSync(profilesFile(environment), 0o640);
  assert.throws(() => readProfiles(environment), /Other users can access .*profiles\.json, which has tokens/);
});

test('an address with a password or of another kind is refused', () => {
  const elsewhere = { HOME: join(home, 'none') };
  assert.throws(
    () => chooseServer(options({ url: 'localhost:9000' }), elsewhere),
    /not the address of a server/,
  );
  assert.throws(() => chooseServer(options({ url: 'http://a:b@c' }), elsewhere), /has a user or a password/);
});
