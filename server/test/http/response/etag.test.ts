import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guardedVersion, manifestTag, tagMatches } from '../../../src/http/response/etag.ts';
import type { VersionRecord } from '../../../src/model/version.ts';

const newest = { versionId: 'abc', version: 3, expiresAt: null } as VersionRecord;
const expiring = { ...newest, expiresAt: 1_900_000_000_000 };

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
    assert.equal(guardedVersion('"abc.3"', newest)?.version, 3);
    assert.equal(guardedVersion('*', newest)?.version, 3);
    assert.equal(guardedVersion(undefined, newest), undefined);
  });

  it('the expiry is in the tag of the manifest, and does not matter to If-Match', () => {
    assert.equal(manifestTag(expiring), '"abc.3.1900000000000"');
    for (const tag of [manifestTag(newest), manifestTag(expiring), '"abc.3.5"', '"x", "abc.3.5"'])
      for (const record of [newest, expiring]) assert.equal(guardedVersion(tag, record)?.version, 3, tag);
    for (const tag of ['"abc.2.1900000000000"', '"abc.3.x"', '"abc.3."', 'W/"abc.3.5"', '"abc.3.5.3"'])
      assert.throws(() => guardedVersion(tag, expiring), { kind: 'version_mismatch' }, tag);
  });

  it('If-Match for another version or no frame is refused', () => {
    assert.throws(() => guardedVersion('"abc.2"', newest), { kind: 'version_mismatch' });
    assert.throws(() => guardedVersion('*', null), { kind: 'version_mismatch' });
  });
});
