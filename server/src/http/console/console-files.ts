import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { FrameholdError } from '../../model/errors.ts';

/** The console as it was built: one page, and the files that it loads. Held in memory, because they are few and never change. */
export interface ConsoleFiles {
  /** The text of index.html. It names its assets as `./assets/…`. */
  readonly page: string;
  readonly assets: ReadonlyMap<string, ConsoleAsset>;
}

export interface ConsoleAsset {
  readonly mediaType: string;
  readonly plain: Buffer;
  /** Compressed by the build, the smallest first. */
  readonly stored: readonly StoredCoding[];
}

interface StoredCoding {
  readonly coding: 'br' | 'gzip';
  readonly bytes: Buffer;
}

const codings = [
  { coding: 'br', extension: '.br' },
  { coding: 'gzip', extension: '.gz' },
] as const;

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The console has some ten files, each three times. */
const filesMax = 300;
/** It has about 1 MB with all codings; the memory is held as long as the server runs. */
const bytesMax = 16 * 1024 * 1024;

/** Reads a built console. null if there is none in the folder. */
export async function loadConsole(folder: string): Promise<ConsoleFiles | null> {
  const page = await readIfPresent(join(folder, 'index.html'));
  if (page === null) return null;
  const names = await assetNames(join(folder, 'assets'));
  if (names.length > filesMax) throw notAConsole(folder, `has more than ${filesMax} files`);
  const files = new Map<string, Buffer>();
  let bytes = page.byteLength;
  for (const name of names) {
    const content = await readFile(join(folder, 'assets', name));
    bytes += content.byteLength;
    if (bytes > bytesMax) throw notAConsole(folder, `has more than ${bytesMax} bytes`);
    files.set(name, content);
  }
  return { page: page.toString('utf8'), assets: assetsOf(folder, files) };
}

function assetsOf(folder: string, files: ReadonlyMap<string, Buffer>): ReadonlyMap<string, ConsoleAsset> {
  const assets = new Map<string, ConsoleAsset>();
  for (const [name, plain] of files) {
    if (codings.some(({ extension }) => name.endsWith(extension))) continue;
    const mediaType = mediaTypes[extname(name)];
    if (mediaType === undefined) throw notAConsole(folder, `has a file of an unknown type, ${name}`);
    const stored = codings.flatMap(({ coding, extension }) => {
      const bytes = files.get(name + extension);
      return bytes === undefined ? [] : [{ coding, bytes }];
    });
    assets.set(name, { mediaType, plain, stored });
  }
  return assets;
}

async function assetNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function readIfPresent(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function notAConsole(folder: string, what: string): FrameholdError {
  return new FrameholdError('internal', `${folder} ${what}: it is not the console of this server.`, {
    hint: 'Reinstall the package, or run npm run build.',
  });
}
