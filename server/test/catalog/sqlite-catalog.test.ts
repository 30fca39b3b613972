import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import { catalogConformance } from './catalog-conformance.ts';

const directory = mkdtempSync(join(tmpdir(), 'framehold-catalog-'));
after(() => rmSync(directory, { recursive: true, force: true }));

catalogConformance('sqlite', () => openSqliteCatalog({ path: join(directory, `${randomUUID()}.sqlite`) }));
