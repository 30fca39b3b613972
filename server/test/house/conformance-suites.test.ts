/** A second store, catalog, codec or engine runs the suite of its port unchanged: so a suite knows the port, and no implementation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importedModules, resolveImport, sourceFiles } from './source-files.ts';

const suites = sourceFiles('server/test').filter(({ path }) => /conformance(\.ts$|\/)/.test(path));

test('conformance suites import nothing of the sources but ports and what is below them', () => {
  assert.deepEqual(
    suites.map(({ path }) => path).filter((path) => path.endsWith('-conformance.ts')),
    [
      'server/test/catalog/catalog-conformance.ts',
      'server/test/cluster/prepared-statements-conformance.ts',
      'server/test/cluster/running-queries-conformance.ts',
      'server/test/compose/codec/codec-conformance.ts',
      'server/test/engine/engine-conformance.ts',
      'server/test/store/object-store-conformance.ts',
      'server/test/store/result-folders-conformance.ts',
    ],
  );
  const imported = suites.flatMap(({ path, text }) =>
    importedModules(text).map((module) => resolveImport(path, module)),
  );
  const others = imported.filter(
    (path) => path.startsWith('server/src/') && !/^server\/src\/(ports|model|base)\//.test(path),
  );
  assert.ok(imported.length > 50, 'the suites are read');
  assert.deepEqual(others, []);
});
