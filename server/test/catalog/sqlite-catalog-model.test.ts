import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import { catalogModelRuns } from './catalog-model-runs.ts';

const directory = mkdtempSync(join(tmpdir(), 'framehold-catalog-'));

catalogModelRuns('SQLite', () => openSqliteCatalog({ path: join(directory, 'catalog.sqlite') }));
after(() => rmSync(directory, { recursive: true, force: true }));
