import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDecoder } from '../../../src/http/request/decoded-body.ts';
import { chooseCoding } from '../../../src/http/response/content-coding.ts';

describe('content coding', () => {
  const cases: [string | undefined, 'gzip' | 'zstd' | null][] = [
    [undefined, null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1, zstd;q=0.5', 'gzip'],
    ['zstd;q=0, gzip;q=0', null],
    ['*', 'gzip'],
    ['br', null],
  ];
  for (const [header, coding] of cases) {
    it(`Accept-Encoding: ${header} → ${coding}`, () => assert.equal(chooseCoding(header), coding));
  }

  it('an unknown Content-Encoding is refused with what is supported', () => {
    assert.throws(() => createDecoder('br'), { kind: 'unsupported_media_type', hint: /gzip, zstd/ });
  });
});
