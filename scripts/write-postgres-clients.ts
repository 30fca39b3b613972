/** Writes docs/reference/postgres-clients.md from what the clients of e2e/postgres find: `node scripts/write-postgres-clients.ts`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clients } from '../e2e/postgres/clients.ts';
import { matrixPage, runClients } from '../e2e/postgres/matrix.ts';
import { startPostgres } from '../e2e/postgres/sides.ts';

await using side = await startPostgres();
const page = matrixPage(await runClients(clients, side));
writeFileSync(join(import.meta.dirname, '..', 'docs', 'reference', 'postgres-clients.md'), page);
