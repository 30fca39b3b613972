/** What identifying a caller and deciding about access take by themselves, in this process: `node bench/access/identify-caller.ts`. */
import { decide } from '../../server/src/frames/access/access.ts';
import type { Caller } from '../../server/src/model/caller.ts';
import { SampleAuthenticator } from '../../server/test/auth/sample-authenticator.ts';

const calls = 200_000;
const rounds = 9;

using sample = new SampleAuthenticator();
const { token } = sample.create({ scopes: ['read'] });
const credentials = { authorization: `Bearer ${token}`, link: undefined, certificate: null };
const visit = { remote: '127.0.0.1', requestId: 'bench' };
const target = { tenant: 'a', name: 'ticks', version: null, isShared: false };

const microseconds = Array.from({ length: rounds }, () => {
  const began = performance.now();
  for (let call = 0; call < calls; call++) {
    const caller = sample.authenticator.authenticate(credentials, visit) as Caller;
    if (!decide(caller, 'frame.describe', target).allowed) throw new Error('was refused');
  }
  return ((performance.now() - began) / calls) * 1_000;
});
console.log(`a token known, and the right to read decided: ${Math.min(...microseconds).toFixed(2)} µs`);
