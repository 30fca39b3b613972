import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowedFunction } from '../../../src/allowlist/lists/allowed-functions.ts';
import { refusalOf } from '../refused.ts';
import { allAttacks } from './all-attacks.ts';
import { inPlace } from './attack.ts';
import { resources } from './resources.ts';

for (const [group, attacks] of Object.entries(allAttacks))
  test(`no attack on ${group} passes`, () => {
    for (const [sql] of attacks) {
      const { kind, message } = refusalOf(inPlace(sql, '/secrets', 8080));
      assert.ok(kind === 'sql_refused' || kind === 'sql_invalid', `${kind}: ${message} (${sql})`);
      assert.notEqual(message, 'The statement could be read in two ways.', sql);
    }
  });

test('no statement passes that takes much memory or time for its length', () => {
  for (const sql of resources) assert.equal(refusalOf(sql).kind, 'sql_refused', sql);
});

test('there are enough of them, and each is there once', () => {
  const texts = [
    ...Object.values(allAttacks).flatMap((attacks) => attacks.map(([sql]) => sql)),
    ...resources,
  ];
  assert.equal(new Set(texts).size, texts.length);
  assert.ok(texts.length >= 450, `${texts.length}`);
});

test('no spelling of a refused function passes', () => {
  for (const name of ['reflect', 'java_method', 'xpath', 'input_file_name', 'rand', 'version'])
    for (const spelled of [
      name,
      name.toUpperCase(),
      `\`${name}\``,
      ` ${name} `,
      `builtin.${name}`,
      `system.builtin.${name}`,
    ])
      for (const place of [
        'select @()',
        'select 1 from t where @() = 1',
        'select * from @()',
        'select * from t lateral view @() x',
      ])
        assert.match(refusalOf(place.replace('@', spelled)).kind, /^sql_(refused|invalid)$/);
  assert.ok(!isAllowedFunction('reflect', 'expression') && isAllowedFunction('sum', 'expression'));
});
