import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { builtCommand } from '../../server/test/support/framehold-process.ts';
import { repositoryRoot } from '../../server/test/support/repository.ts';

/** What is measured is the server as it is installed. CI has built it already, and says so with TEST_BUILT. */
export function buildServer(): void {
  if (process.env.TEST_BUILT === 'true' && existsSync(builtCommand[1])) return;
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: repositoryRoot, stdio: 'inherit' });
}
