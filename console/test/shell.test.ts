import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ManifestSummary } from '@framehold/client';
import {
  nextOrder,
  orderText,
  parseOrder,
  searchFrames,
  sortFrames,
} from '../src/screens/frames/frame-order.ts';
import { baseOf, sharedLinkOf } from '../src/server/page-address.ts';
import { paletteEntries } from '../src/shell/palette-entries.ts';
import { href, parseRoute } from '../src/shell/route.ts';
import { agoText, bytesText, durationText, plural, untilText } from '../src/ui/format.ts';
import { formatOfText, frameNameOf, isFrameName } from '../src/upload/upload-names.ts';

describe('routes', () => {
  it('come back from their address, whatever a handle or a parameter has in it', () => {
    const sql = 'select "a b" from t where x = \'#/?&=%\' -- ü\n';
    const { screen, handle, tab, parameters } = parseRoute(
      href('frames', 'acme:trades@3', 'schema', { sql }),
    );
    assert.deepEqual([screen, handle, tab, parameters.get('sql')], ['frame', 'acme:trades@3', 'schema', sql]);
  });

  it('stay readable', () => {
    assert.equal(href('frames', 'acme:trades@3', 'rows', { sort: null }), '#/frames/acme:trades@3/rows');
  });

  it('show the frames if there is none, and survive a broken escape', () => {
    assert.equal(parseRoute('').screen, 'frames');
    assert.equal(parseRoute('#/frames/%E0%A4%A').handle, '%E0%A4%A');
  });
});

describe('the address of the page', () => {
  const origin = 'https://data.example';
  it('is the base of the API, under any path', () => {
    assert.equal(baseOf({ origin, pathname: '/', search: '' }).href, `${origin}/`);
    assert.equal(baseOf({ origin, pathname: '/a/b/', search: '' }).href, `${origin}/a/b/`);
  });

  it('of a shared link has the base before v1', () => {
    const page = { origin, pathname: '/v1/frames/v1/frames/trades%401/rows', search: '?link=fhl_x' };
    assert.equal(baseOf(page).href, `${origin}/v1/frames/`);
    assert.deepEqual(sharedLinkOf(page), { handle: 'trades@1', link: 'fhl_x' });
  });

  it('without a link, or of another path, is no shared link', () => {
    assert.equal(sharedLinkOf({ pathname: '/v1/frames/t@1/rows', search: '' }), null);
    assert.equal(sharedLinkOf({ pathname: '/', search: '?link=fhl_x' }), null);
  });
});

describe('names of uploads', () => {
  it('are valid, and close to the name of the file', () => {
    const cases = {
      'trades.csv': 'trades',
      'Trades 2024 (final).csv': 'Trades_2024_final',
      'Städte.tar.csv': 'Stadte.tar',
      '.hidden': 'hidden',
      '数据.csv': 'frame',
      '---.csv': 'frame',
    };
    for (const [file, name] of Object.entries(cases)) assert.equal(frameNameOf(file), name, file);
  });

  it('are valid for any file name', () => {
    for (const file of ['a'.repeat(400), '..', '-', '@', 'x/y\\z', '\u0000', 'é'.repeat(200), '1.', '_'])
      assert.ok(isFrameName(frameNameOf(file)), file);
  });

  it('of pasted text follow what it looks like', () => {
    assert.equal(formatOfText(' [{"a":1}]'), 'json');
    assert.equal(formatOfText('{"a":1}\n'), 'ndjson');
    assert.equal(formatOfText('a\tb\n1,5\t2\n'), 'tsv');
    assert.equal(formatOfText('a;b\n1\t;2\n'), 'csv');
  });
});

describe('the list of frames', () => {
  const frames = [
    frame('b10', { rows: 5, expiresAt: '2026-01-02T00:00:00.000Z' }),
    frame('a_trades', { rows: 7, expiresAt: null }),
    frame('b9', { rows: 5, expiresAt: '2026-01-01T00:00:00.000Z' }),
  ];
  const names = (order: string | null) => sortFrames([...frames], parseOrder(order)).map(({ name }) => name);

  it('is sorted by any column, numbers in names as numbers', () => {
    assert.deepEqual(names(null), ['a_trades', 'b9', 'b10']);
    assert.deepEqual(names('-rows'), ['a_trades', 'b9', 'b10']);
    assert.deepEqual(names('expiry'), ['b9', 'b10', 'a_trades']);
    assert.deepEqual(names('nonsense'), ['a_trades', 'b9', 'b10']);
  });

  it('turns around on a second click, and the default is not in the address', () => {
    const first = nextOrder(parseOrder(null), 'rows');
    assert.equal(orderText(first), '-rows');
    assert.equal(orderText(nextOrder(first, 'rows')), 'rows');
    assert.equal(orderText(parseOrder('name')), null);
  });

  it('finds every word in any order', () => {
    assert.deepEqual(
      searchFrames(frames, 'TRADES a').map(({ name }) => name),
      ['a_trades'],
    );
  });
});

describe('the palette', () => {
  const places = {
    recents: ['orders'],
    frames: [frame('orders', {}), frame('old_orders', {}), frame('reorder', {})],
    saved: [{ name: 'orders by day', sql: 'select 1', savedAt: '', savedBy: '' }],
  };
  const labels = (text: string) => paletteEntries(text, places).map(({ kind, label }) => `${kind}: ${label}`);

  it('begins with what was opened last, and names it once', () => {
    assert.equal(labels('')[0], 'Recent: orders');
    assert.ok(!labels('').includes('Frame: orders'));
  });

  it('puts the name first that begins so, then a word of it, then any place', () => {
    assert.deepEqual(labels('order'), [
      'Recent: orders',
      'Saved query: orders by day',
      'Frame: old_orders',
      'Frame: reorder',
      'Open by its handle: order',
    ]);
  });

  it('opens a version that is in no list', () => {
    assert.deepEqual(labels('orders@3'), ['Open by its handle: orders@3']);
    assert.deepEqual(labels('no such thing'), []);
  });
});

describe('texts', () => {
  it('round nothing up to the next unit', () => {
    assert.equal(bytesText(999), '999 B');
    assert.equal(bytesText(999_499), '999 kB');
    assert.equal(bytesText(999_500), '1.0 MB');
    assert.equal(plural(1, 'row'), '1 row');
    assert.equal(plural(1234, 'row'), '1,234 rows');
    assert.equal(durationText(61_500), '1 min 1 s');
  });

  it('say how long ago, and become a date', () => {
    const now = Date.parse('2026-03-01T00:00:00.000Z');
    assert.equal(agoText('2026-02-28T23:57:00.000Z', now), '3 min ago');
    assert.equal(agoText('2025-03-01T00:00:00.000Z', now), '2025-03-01');
    assert.equal(untilText('2026-03-01T11:59:00.000Z', now), 'in 12 h');
    assert.equal(untilText('2026-03-07T23:59:58.000Z', now), 'in 7 d');
    assert.equal(untilText('2026-03-01T23:59:58.000Z', now), 'in 1 d');
    assert.equal(untilText('2026-03-01T20:10:00.000Z', now), 'in 20 h');
    assert.equal(untilText('2026-03-01T00:00:00.200Z', now), 'in 1 s');
    assert.equal(untilText('2026-02-28T23:59:59.000Z', now), 'expired');
  });
});

function frame(name: string, more: Partial<ManifestSummary>): ManifestSummary {
  return {
    handle: `${name}@1`,
    name,
    version: 1,
    frameId: 'f',
    rows: 0,
    bytes: 0,
    parts: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: null,
    origin: { kind: 'upload', format: 'csv' },
    ...more,
  };
}
