import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type KnownRace, knownRaces, knownRacesMax } from '../../../scripts/known-races.ts';
import { repositoryRoot } from '../support/repository.ts';

/** What is wrong with a list of known races. */
function faultsOf(races: readonly KnownRace[]): string[] {
  const tooMany = races.length > knownRacesMax ? [`${races.length} races`] : [];
  return [...tooMany, ...races.flatMap(faultsOfRace)];
}

function faultsOfRace({ file, title, since, cause }: KnownRace): string[] {
  const path = join(repositoryRoot, file);
  const isThere = file.endsWith('.test.ts') && existsSync(path);
  return [
    ...(isThere ? [] : [`no test file ${file}`]),
    ...(title !== '' && isThere && readFileSync(path, 'utf8').includes(title) ? [] : [`no test "${title}"`]),
    ...(/^\d{4}-\d\d-\d\d$/.test(since) && !Number.isNaN(Date.parse(since)) ? [] : [`no date: "${since}"`]),
    ...(cause.length >= 20 ? [] : [`no cause of "${title}"`]),
  ];
}

test('the list of known races is short, and each has a test, a date and a cause', () => {
  assert.deepEqual(faultsOf(knownRaces), []);
  assert.equal(knownRacesMax, 5);
});

test('a list that is long, or names what is not there, is refused', () => {
  const race: KnownRace = {
    file: 'server/test/house/known-races.test.ts',
    title: 'the list of known races is short, and each has a test, a date and a cause',
    since: '2026-01-31',
    cause: 'two processes write the same file',
  };
  assert.deepEqual(faultsOf([race]), []);
  assert.deepEqual(faultsOf(Array.from({ length: 6 }, () => race)), ['6 races']);
  assert.deepEqual(faultsOf([{ ...race, since: '2026-13-01' }]), ['no date: "2026-13-01"']);
  assert.deepEqual(faultsOf([{ ...race, cause: 'unknown' }]).length, 1);
  assert.deepEqual(faultsOf([{ ...race, title: 'nobody has this ' + 'title' }]).length, 1);
  assert.deepEqual(faultsOf([{ ...race, file: 'server/test/nowhere.test.ts' }]).length, 2);
});
