import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccessGuard } from '../../src/frames/access/access-guard.ts';
import { Audit } from '../../src/frames/access/audit.ts';
import { callerLine, openCaller, unidentifiedCaller } from '../../src/model/caller.ts';
import { Used } from '../../src/model/used.ts';

const trades = { tenant: 'default', name: 'trades', version: 3, isShared: false };

test('a line names each frame once, and only those that the caller may use', () => {
  const access = new AccessGuard(new Audit(() => {}));
  const caller = { ...openCaller, used: new Used() };
  access.check(caller, 'frame.describe', trades);
  access.check(caller, 'frame.read', { ...trades, version: null });
  access.check(caller, 'frame.read', { ...trades, tenant: 'b', isShared: true });
  assert.throws(() => access.check(caller, 'frame.read', { ...trades, tenant: 'c' }));
  const line = { tenant: 'default', caller: 'anonymous', frames: ['trades', 'b:trades'] };
  assert.deepEqual(callerLine(caller), line);
  assert.deepEqual(callerLine(unidentifiedCaller), { tenant: null, caller: 'nobody' });
});

test('a line stays short, and a statement names its frames to the whole call too', () => {
  const call = new Used();
  const statement = new Used(call);
  statement.statement('q1');
  call.frame('first');
  for (let index = 0; index < 40; index++) statement.frame(`f${index}`);
  assert.equal(statement.line.frames?.length, 16);
  assert.equal(statement.line.framesMore, 24);
  assert.deepEqual([call.line.frames?.[0], call.line.framesMore, call.line.statement], ['first', 25, 'q1']);
});
