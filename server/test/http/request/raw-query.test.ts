import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { decodeOrKeep, queryOf, RawQuery } from '../../../src/http/request/raw-query.ts';
import { assertTook } from '../../support/machine-pace.ts';

describe('raw query', () => {
  it('keeps the text of a value exactly as it came', () => {
    assert.equal(new RawQuery('/exec?query=a%2Bb+c%20d').raw('query'), 'a%2Bb+c%20d');
  });

  it('decodes plus and percent', () => {
    assert.equal(new RawQuery('/exec?query=a%2Bb+c%20d').value('query'), 'a+b c d');
  });

  it('distinguishes an absent key from an empty one', () => {
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

  it('takes a hundred parameters, and refuses more without looking at them', () => {
    const url = (count: number) => `/exec?${'a&'.repeat(count - 1)}a`;
    assert.deepEqual(new RawQuery(url(100)).keys, ['a']);
    assert.throws(() => new RawQuery(url(101)), { kind: 'bad_request', message: /more than 100 parameters/ });
  });

  it('reads 64 KiB of broken escapes in less than a millisecond, and once for all who ask', () => {
    const raw = { url: `/exec?link=${'&%'.repeat(32_000)}` } as IncomingMessage;
    const began = performance.now();
    for (let time = 0; time < 100; time++) assert.throws(() => queryOf({ raw }), { kind: 'bad_request' });
    assertTook(performance.now() - began, 100);
    const few = { url: '/exec?handle=a' } as IncomingMessage;
    assert.equal(queryOf({ raw: few }), queryOf({ raw: few }));
  });
});
