import { join } from 'node:path';

/** Where things of this repository are, for tests that start them. */
export const repositoryRoot = join(import.meta.dirname, '..', '..', '..');
export const partsFolder = join(repositoryRoot, '.parts');
export const serverFolder = join(repositoryRoot, 'server');
