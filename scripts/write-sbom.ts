import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PackageLock, renderSbom } from './sbom.ts';

/** Writes docs/sbom.cdx.json. A test fails while it differs from package-lock.json. */
const root = join(import.meta.dirname, '..');
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as PackageLock;
writeFileSync(join(root, 'docs', 'sbom.cdx.json'), renderSbom(lock));
