import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeOrKeep, RawQuery } from '../../src/http/raw-query.ts';

describe('raw query', () => {
  it('keeps the text of a value exactly as it came', () => {
    assert.equal(new RawQuery('/exec?query=a%2Bb+c%20d').raw('query'), 'a%2Bb+c%20d');
  });

  it('decodes plus and percent', () => {
    assert.equal(new RawQuery('/exec?query=a%2Bb+c%20d').value('query'), 'a+b c d');
  });

  it('tells an absent key from an empty one', () => {
    const query = new RawQuery('/exec?handle=&fmt');
    assert.equal(query.raw('handle'), '');
    assert.equal(query.raw('fmt'), '');
    assert.equal(query.raw('query'), undefined);
  });

  it('refuses a key that is given twice, also when one is encoded', () => {
    assert.throws(() => new RawQuery('/exec?limit=1&%6Cimit=2').raw('limit'), { kind: 'bad_request' });
  });

  it('refuses broken escapes only when the value is decoded', () => {
    const query = new RawQuery('/exec?query=%zz');
    assert.equal(query.raw('query'), '%zz');
    assert.throws(() => query.value('query'), { kind: 'bad_request' });
    assert.equal(decodeOrKeep('%zz'), '%zz');
  });

  it('keeps everything after the first equals sign', () => {
    assert.equal(new RawQuery('/exec?query=a=b==c').raw('query'), 'a=b==c');
  });
});
