import { after, before } from 'node:test';
import { PostgresCatalogs } from '../support/postgres-catalogs.ts';
import { catalogConformance } from './catalog-conformance.ts';

let catalogs: PostgresCatalogs;
before(async () => {
  catalogs = await PostgresCatalogs.start();
});
after(() => catalogs.stop());

catalogConformance('postgres', () => catalogs.open());
