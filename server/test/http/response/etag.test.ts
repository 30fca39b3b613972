import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VersionRecord } from '../../../src/frames/version.ts';
import { guardedVersion, manifestTag, tagMatches } from '../../../src/http/response/etag.ts';

const newest = { frameId: 'abc', version: 3 } as VersionRecord;

describe('etag', () => {
  it('a list of tags matches if one of them does', () => {
    assert.ok(tagMatches('"x", "abc.3"', manifestTag(newest), false));
    assert.ok(!tagMatches('"x", "abc.2"', manifestTag(newest), false));
  });

  it('a weak tag matches only in weak comparison', () => {
    assert.ok(tagMatches('W/"abc.3"', manifestTag(newest), true));
    assert.ok(!tagMatches('W/"abc.3"', manifestTag(newest), false));
  });

  it('If-Match guards the newest version, and a star any', () => {
    assert.equal(guardedVersion('"abc.3"', newest), 3);
    assert.equal(guardedVersion('*', newest), 3);
    assert.equal(guardedVersion(undefined, newest), undefined);
  });

  it('If-Match for another version or no frame is refused', () => {
    assert.throws(() => guardedVersion('"abc.2"', newest), { kind: 'version_mismatch' });
    assert.throws(() => guardedVersion('*', null), { kind: 'version_mismatch' });
  });
});
