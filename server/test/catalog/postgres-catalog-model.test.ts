import { after } from 'node:test';
import { PostgresCatalogs } from '../support/postgres-catalogs.ts';
import { catalogModelRuns } from './catalog-model-runs.ts';

const catalogs = await PostgresCatalogs.start();

catalogModelRuns('PostgreSQL', () => catalogs.open());
after(() => catalogs.stop());
