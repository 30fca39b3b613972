import assert from 'node:assert/strict';
import { Child } from '../../support/child-process.ts';
import { type Framehold, runFramehold, serverCommand } from '../../support/framehold-process.ts';

export interface MadeBackup {
  readonly id: string;
  readonly objects: number;
  readonly bytes: number;
  readonly copiedObjects: number;
  readonly faults: readonly { readonly key: string; readonly kind: string }[];
  readonly removed: readonly string[];
}

/** `framehold backup`, to its end. */
export async function backUp(
  server: Framehold,
  directory: string,
  ...flags: readonly string[]
): Promise<MadeBackup> {
  const { code, output, lines } = await runFramehold([
    'backup',
    directory,
    '--data-dir',
    server.dataDirectory,
    '--json',
    ...flags,
  ]);
  assert.equal(code, 0, output);
  return JSON.parse(lines.at(-1) ?? '') as MadeBackup;
}

/** The same, begun: it can be stopped and killed. */
export function beginBackup(dataDirectory: string, directory: string): Child {
  const [command, ...args] = serverCommand;
  return new Child({ command, args: [...args, 'backup', directory, '--data-dir', dataDirectory, '--json'] });
}

/** `framehold restore` into a new data directory, to its end. */
export async function restore(directory: string, target: string, ...flags: readonly string[]) {
  return await runFramehold(['restore', directory, '--data-dir', target, ...flags]);
}
