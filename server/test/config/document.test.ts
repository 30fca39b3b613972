import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderSettingsDocument } from '../../src/config/document.ts';
import { repositoryRoot } from '../support/repository.ts';

test('docs/reference/settings.md is what the table says; if not, run node scripts/write-reference.ts', () => {
  const written = readFileSync(join(repositoryRoot, 'docs/reference/settings.md'), 'utf8');
  assert.equal(written, renderSettingsDocument());
});
