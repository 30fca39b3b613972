import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SubPath } from '../../../src/http/request/sub-path.ts';

const sub = new SubPath('https://example.com/tools/data');

test('the sub-path is removed where it is a path of its own', () => {
  const cases = {
    '/tools/data/v1/frames?limit=1': '/v1/frames?limit=1',
    '/tools/data/': '/',
    '/tools/data': '/',
    '/tools/data?x=/y': '/?x=/y',
    '/tools/data//v1': '//v1',
    '/tools/data/tools/data/ping': '/tools/data/ping',
    '/t%6fols/data/a%2Fb': '/a%2Fb',
    '/v1/frames': '/v1/frames',
    '/tools/database/ping': '/tools/database/ping',
    '/tools': '/tools',
    '//tools/data/ping': '//tools/data/ping',
    '/tools%2Fdata/ping': '/tools%2Fdata/ping',
    '/Tools/data/ping': '/Tools/data/ping',
    '/tools/%zz/ping': '/tools/%zz/ping',
    'http://example.com/tools/data/ping': 'http://example.com/tools/data/ping',
    '*': '*',
    '': '',
  };
  for (const [url, expected] of Object.entries(cases)) assert.equal(sub.removedFrom(url), expected, url);
});

test('only the sub-path itself lacks a slash', () => {
  assert.equal(sub.slashAdded('/tools/data'), './data/');
  assert.equal(sub.slashAdded('/tools/data?a=1'), './data/?a=1');
  assert.equal(sub.slashAdded('/tools/d%61ta'), './d%61ta/');
  for (const url of ['/tools/data/', '/', '/tools', '/tools/data/x', ''])
    assert.equal(sub.slashAdded(url), null, url);
});

test('without a path, or with one like those of the routes, nothing is removed', () => {
  for (const publicUrl of ['', 'https://example.com', 'https://example.com/', 'https://example.com/v1/x'])
    for (const url of ['/v1/x/ping', '/v1/frames', '/', '']) {
      assert.equal(new SubPath(publicUrl).removedFrom(url), url);
      assert.equal(new SubPath(publicUrl).slashAdded(url), null);
    }
});
