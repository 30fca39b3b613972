import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Of util-linux: in every Debian, Ubuntu, Fedora and their images. */
const places = ['/usr/bin/setpriv', '/bin/setpriv'];

/** It may read what root may read. To write, it needs a mode that says so, as everybody else. */
const flags = ['--bounding-set=-all,+dac_read_search', '--inh-caps=-all', '--no-new-privs', '--'];

/**
 * What stands before the command of a process that must not change read-only files although it belongs to root: for root the modes of files say
 * nothing, unless it has given up the right to ignore them. Empty for other users, and where that cannot be given up.
 */
export async function withoutPrivileges(): Promise<readonly string[]> {
  const program = process.getuid?.() === 0 ? places.find((place) => existsSync(place)) : undefined;
  if (program === undefined) return [];
  try {
    await run(program, [...flags, 'true'], { timeout: 5_000 });
    return [program, ...flags];
  } catch {
    // Another program of that name, or a container that may not give up rights.
    return [];
  }
}
