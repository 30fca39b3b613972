/** Every error says what to do: with a hint of its own, or with that of its kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorKind, errorKinds } from '../../src/model/errors.ts';
import { serverSources } from './source-files.ts';

/** Nobody is there to read the first. The second is a fault of the server, whose message names the request id for the log. */
const withoutHint: readonly string[] = ['cancelled', 'internal'];

/** The arguments of each error that names its kind, up to the bracket that closes it. */
function errorsIn(text: string): { readonly kind: string; readonly given: string }[] {
  return [...text.matchAll(/new FrameholdError\(\s*'(\w+)'/g)].map(
    ({ 0: beginning, 1: kind = '', index }) => {
      let depth = 1;
      let end = index + beginning.length;
      for (; depth > 0 && end < text.length; end++)
        depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0;
      return { kind, given: text.slice(index, end) };
    },
  );
}

test('every error that callers see has a hint', () => {
  const errors = serverSources().flatMap(({ path, text }) =>
    errorsIn(text).map((error) => ({ ...error, path })),
  );
  assert.ok(errors.length > 300, 'the sources are read');
  const silent = errors.filter(
    ({ kind, given }) =>
      !withoutHint.includes(kind) &&
      errorKinds[kind as ErrorKind].hint === undefined &&
      !/\bhint\b/.test(given),
  );
  assert.deepEqual(
    silent.map(({ path, given }) => `${path}: ${given.replaceAll(/\s+/g, ' ')}`),
    [],
  );
});
