import assert from 'node:assert/strict';
import { Child } from '../../server/test/support/child-process.ts';
import { type Framehold, runFramehold, serverCommand } from '../../server/test/support/framehold-process.ts';
import { eventually } from '../../server/test/support/patience.ts';

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

/** A command that is killed with -9 right after it has published so many objects in a directory. */
export async function killedAtObject(
  objects: number,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<void> {
  const [command, ...first] = serverCommand;
  const preload = `--import=${import.meta.resolve('../../server/test/support/kill-at-object.ts')}`;
  const child = new Child({
    command,
    args: [preload, ...first, ...args],
    env: { ...env, KILL_AT_OBJECT: String(objects) },
  });
  await eventually('its end', () => child.exit !== null);
  assert.equal(child.exit?.signal, 'SIGKILL', child.tail());
}
