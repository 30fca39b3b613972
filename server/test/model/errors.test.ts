import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFailure } from '../../src/engine/protocol.ts';
import {
  type ErrorKind,
  errorKinds,
  errorToPayload,
  FrameholdError,
  isAbsent,
} from '../../src/model/errors.ts';

const kinds = Object.keys(errorKinds) as ErrorKind[];

test('exactly the kinds with status 429, 503 or 507 say when to retry, as errors.md promises', () => {
  const late = kinds.filter((kind) => [429, 503, 507].includes(errorKinds[kind].status));
  assert.deepEqual(
    kinds.filter((kind) => errorKinds[kind].retryAfterSeconds !== undefined),
    late,
  );
});

test('a frame that was never there and one that is gone are both absent', () => {
  assert.deepEqual(
    kinds.filter((kind) => isAbsent(new FrameholdError(kind, ''))),
    ['frame_not_found', 'frame_gone'],
  );
  assert.equal(isAbsent(new Error('frame_not_found')), false);
});

test('an engine process reports only what a statement may fail with', () => {
  for (const kind of kinds) {
    const payload = errorToPayload(new FrameholdError(kind, 'why', { hint: 'what to do' }));
    const failure = parseFailure(new TextEncoder().encode(JSON.stringify(payload)));
    const ofStatement = errorKinds[kind].ofStatement === true;
    assert.equal(failure.kind, ofStatement ? kind : 'engine_failed');
    assert.equal(failure.hint, ofStatement ? 'what to do' : errorKinds.engine_failed.hint);
  }
});
