import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './repository.ts';

const folder = process.env.TEST_BUILT === 'true' ? 'server/dist/console' : 'console/dist';

/** Whether the server that tests start has a console. The sources run without one. */
export const isConsoleBuilt = existsSync(join(repositoryRoot, folder, 'index.html'));
