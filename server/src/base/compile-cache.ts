import { existsSync, mkdirSync, statSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isBundled } from './package-files.ts';

/** Node reads it before it runs anything, and in every thread. */
const variable = 'NODE_COMPILE_CACHE';
/** By then it has answered requests, and what they need is compiled. */
const settledMs = 10_000;

/**
 * What V8 made of the bundle stays for the next start, which saves it a third of its work. Node's own default would be in a folder for temporary
 * files, where any user of the machine can put something: it is kept in a folder of this user's, or not at all.
 */
export function useCompileCache(): void {
  if (!isBundled || process.env[variable] !== undefined) return;
  const folder = ownFolder();
  if (folder === null) return;
  enableCompileCache(folder);
  // For its threads.
  process.env[variable] = folder;
}

/** Of a process that handles what callers send: the server must never run what such a process has written. */
export function isolatedCompileCache(): Record<string, string> {
  const folder = process.env[variable];
  return folder === undefined ? {} : { [variable]: join(folder, 'isolated') };
}

/** Writes what has been compiled, once this thread has done some work. Without it only what ends by itself does so. */
export function keepCompiledCode(): void {
  if (process.env[variable] !== undefined) setTimeout(flushCompileCache, settledMs).unref();
}

/** null if there is none that only this user can change. */
function ownFolder(): string | null {
  const root = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(root, 'framehold', 'compiled');
  try {
    // One by one: a home that is not there is not made, and where nothing can be made (/proc), Node's own way to make all of them never ends.
    for (const each of [root, join(root, 'framehold'), folder])
      if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
    const { uid, mode } = statSync(folder);
    const isOwn = uid === process.getuid?.() && (mode & 0o022) === 0;
    return isOwn ? folder : null;
  } catch {
    return null;
  }
}
