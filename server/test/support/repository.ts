import { join } from 'node:path';

/** Where things of this repository are, for tests that start them. */
export const repositoryRoot = join(import.meta.dirname, '..', '..', '..');
export const partsFolder = join(repositoryRoot, '.parts');
export const serverFolder = join(repositoryRoot, 'server');
export const jdbcDriver = join(partsFolder, 'jdbc', 'flight-sql-jdbc-driver-18.3.0.jar');
