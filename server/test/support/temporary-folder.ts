import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const open = new Set<string>();

/** A new folder that goes when the test process ends, at the latest. */
export function temporaryFolder(purpose: string): string {
  const folder = mkdtempSync(join(tmpdir(), `framehold-${purpose}-`));
  open.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  open.delete(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

process.on('exit', () => {
  for (const folder of open) removeFolder(folder);
});
