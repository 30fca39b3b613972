import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { byteRanges, RangeNotSatisfiable, rangesMax } from '../../../src/http/request/byte-ranges.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { assertTook } from '../../support/machine-pace.ts';

const size = 1_000;

describe('the header Range', () => {
  const cases: readonly (readonly [
    header: string | undefined,
    wanted: readonly [number, number][] | null,
  ])[] = [
    [undefined, null],
    ['bytes=0-0', [[0, 1]]],
    ['bytes=0-499', [[0, 500]]],
    ['bytes=500-999', [[500, 1000]]],
    ['bytes=500-', [[500, 1000]]],
    ['bytes=-500', [[500, 1000]]],
    ['bytes=-1', [[999, 1000]]],
    ['bytes=-5000', [[0, 1000]]],
    ['bytes=900-5000', [[900, 1000]]],
    ['bytes=0-99999999999999999999999999', [[0, 1000]]],
    ['BYTES=0-1', [[0, 2]]],
    [
      'bytes=0-0,-1',
      [
        [0, 1],
        [999, 1000],
      ],
    ],
    [
      'bytes= 500-600 , 601-999',
      [
        [500, 601],
        [601, 1000],
      ],
    ],
    [
      'bytes=900-999,0-9',
      [
        [900, 1000],
        [0, 10],
      ],
    ],
    ['bytes=0-9,2000-3000', [[0, 10]]],
    // Not byte ranges: the header is ignored, as RFC 9110 allows.
    ['', null],
    ['bytes', null],
    ['bytes=', null],
    ['bytes=-', null],
    ['bytes=a-b', null],
    ['bytes=1', null],
    ['bytes=5-2', null],
    ['bytes=0-1,x', null],
    ['bytes=--1', null],
    ['bytes=+1-2', null],
    ['bytes=1.5-2', null],
    ['bytes=0x0-0x9', null],
    ['bytes=٠-٩', null],
    ['rows=0-9', null],
    ['bytes 0-9', null],
  ];
  for (const [header, wanted] of cases)
    test(`${header}`, () => {
      const ranges = byteRanges(header, size);
      assert.deepEqual(ranges?.map(({ start, end }) => [start, end]) ?? null, wanted);
    });

  const refused = [
    'bytes=1000-',
    'bytes=1000-2000',
    'bytes=-0',
    'bytes=2000-3000,4000-5000',
    'bytes=0-10,5-20',
    'bytes=0-,-1',
    `bytes=${Array.from({ length: rangesMax + 1 }, (_, index) => `${2 * index}-${2 * index}`).join(',')}`,
  ];
  for (const header of refused)
    test(`${header} is refused`, () => {
      assert.throws(
        () => byteRanges(header, size),
        (error) => error instanceof RangeNotSatisfiable && error.size === size,
      );
    });

  test('any text ends in ranges inside of the file, the whole file or a refusal, in linear time', () => {
    let seed = 1;
    const next = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const letters = '0123456789-,= bytesx\t';
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: next(24) }, () => letters[next(letters.length)]).join('');
      const header = next(4) === 0 ? text : `bytes=${text}`;
      try {
        for (const { start, end } of byteRanges(header, size) ?? [])
          assert.ok(0 <= start && start < end && end <= size, header);
      } catch (error) {
        assert.ok(error instanceof FrameholdError && error.kind === 'range_not_satisfiable', header);
      }
    }
    for (const repeated of [',', '-', '0', '0-', '0-0,', '-1,', ' ', '9']) {
      const header = `bytes=${repeated.repeat(1_000_000 / repeated.length)}`;
      const startedAt = performance.now();
      try {
        byteRanges(header, size);
      } catch (error) {
        assert.ok(error instanceof FrameholdError);
      }
      assertTook(performance.now() - startedAt, 200, `1 MB of ${JSON.stringify(repeated)}`);
    }
  });
});
