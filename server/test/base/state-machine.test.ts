import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StateMachine } from '../../src/base/state-machine.ts';

const transitions = { open: ['used', 'closed'], used: ['closed'], closed: [] } as const;

test('a state is followed only by those of its row', () => {
  const machine = new StateMachine<keyof typeof transitions>('open', transitions);
  assert.ok(machine.is('open') && !machine.isFinal);
  assert.throws(() => machine.to('open'), /open cannot follow open/);
  machine.to('used');
  assert.throws(() => machine.to('open'), /open cannot follow used/);
  assert.ok(machine.is('open', 'used') && !machine.is('open', 'closed'));
  machine.to('closed');
  assert.ok(machine.isFinal && machine.state === 'closed');
  assert.throws(() => machine.to('used'), /used cannot follow closed/);
});
