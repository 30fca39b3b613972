import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SourceMap, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { placeOf } from '../../src/base/source-map.ts';
import { serverFolder } from '../support/repository.ts';

const file = join(serverFolder, 'src', 'base', 'source-map.ts');
const transformed = stripTypeScriptTypes(readFileSync(file, 'utf8'), {
  mode: 'transform',
  sourceMap: true,
  sourceUrl: 'source-map.ts',
});
const [code = '', encoded = ''] = transformed.split('//# sourceMappingURL=data:application/json;base64,');
const payload = JSON.parse(Buffer.from(encoded, 'base64').toString()) as ConstructorParameters<
  typeof SourceMap
>[0];

test('every place of a real map is found as Node finds it', () => {
  const map = new SourceMap(payload);
  let compared = 0;
  for (const [index, text] of code.split('\n').entries())
    for (let column = 0; column < text.length; column++) {
      const entry = map.findEntry(index, column);
      if (!('originalLine' in entry) || entry.generatedLine !== index) continue;
      const expected = `source-map.ts:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
      assert.equal(placeOf(payload, index + 1, column + 1), expected, `${index + 1}:${column + 1}`);
      compared += 1;
    }
  assert.ok(compared > 1_000, String(compared));
});

test('a place that the map does not have is null, and so is one of a broken map', () => {
  assert.equal(placeOf(payload, 1_000_000, 1), null);
  assert.equal(placeOf({ sources: [], mappings: '' }, 1, 1), null);
  assert.equal(placeOf({ sources: [], mappings: ';;;!!,,,' }, 3, 1), null);
});

test('a map that never ends a number is read once and not again', () => {
  const began = performance.now();
  placeOf({ sources: ['a.ts'], mappings: 'g'.repeat(5_000_000) }, 1, 1);
  assert.ok(performance.now() - began < 2_000);
});
