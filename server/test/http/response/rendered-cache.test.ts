import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RenderedCache } from '../../../src/http/response/rendered-cache.ts';

const answer = (bytes: number) => ({ body: Buffer.alloc(bytes), headers: {} });

describe('rendered cache', () => {
  it('gives back what was kept', () => {
    const cache = new RenderedCache(10_000, 5_000, () => {});
    cache.set('a', answer(100), 'acme');
    assert.equal(cache.get('a')?.body.byteLength, 100);
    assert.equal(cache.get('b'), undefined);
  });

  it('stays within its bytes; the least recently used goes first', () => {
    const cache = new RenderedCache(10_000, 5_000, () => {});
    cache.set('a', answer(4_000), 'acme');
    cache.set('b', answer(4_000), 'acme');
    cache.get('a');
    cache.set('c', answer(4_000), 'acme');
    assert.ok(cache.get('a'));
    assert.equal(cache.get('b'), undefined);
    assert.ok(cache.get('c'));
  });

  it('a tenant that is sent many answers does not displace those of others', () => {
    const cache = new RenderedCache(100_000, 5_000, () => {});
    cache.set('a', answer(4_000), 'quiet');
    for (let index = 0; index < 200; index++) cache.set(`${index}`, answer(4_000), 'busy');
    assert.ok(cache.get('a'));
    assert.ok(cache.get('199'));
    assert.equal(cache.get('0'), undefined);
  });

  it('does not keep an answer above the limit of one entry', () => {
    const cache = new RenderedCache(10_000, 1_000, () => {});
    cache.set('a', answer(1_001), 'acme');
    assert.equal(cache.get('a'), undefined);
  });

  it('a limit of 0 keeps nothing', () => {
    const cache = new RenderedCache(0, 1_000, () => {});
    cache.set('a', answer(1), 'acme');
    assert.equal(cache.get('a'), undefined);
  });
});
