import { readFileSync } from 'node:fs';
import { FrameholdError } from '../../model/errors.ts';
import type { ObjectFault } from '../../ports/object-store.ts';

/** The layout that this version writes. A larger one was written by a newer version. */
const layoutVersion = 1;

/** One finished backup. Written last: a backup without it does not exist. */
export interface Manifest {
  readonly layout: number;
  /** The moment of the copy of the catalog, in UTC: `20261116T220413.123Z`. Sorts by time. */
  readonly id: string;
  /** Of the data directory, from its format.json. */
  readonly source: string;
  /** Version of Framehold that made it. */
  readonly madeBy: string;
  readonly finishedAt: string;
  /** Beside this manifest. */
  readonly files: readonly BackupFile[];
  readonly objects: number;
  readonly bytes: number;
  /** What this backup had to copy; the rest was there from earlier ones. */
  readonly copiedObjects: number;
  readonly copiedBytes: number;
  /** Objects that were damaged in the data directory: they are not in the backup. */
  readonly faults: readonly ObjectFault[];
}

export interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export function backupId(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]/g, '');
}

export function writeManifest(manifest: Omit<Manifest, 'layout'>): string {
  return `${JSON.stringify({ layout: layoutVersion, ...manifest }, null, 2)}\n`;
}

export function readManifest(file: string): Manifest {
  const manifest = parse(readFileSync(file, 'utf8'));
  if (manifest === null)
    throw new FrameholdError('internal', `${file} is not the manifest of a backup.`, {
      hint: 'Choose another backup with --at, or remove this one with framehold backup remove.',
    });
  if (manifest.layout > layoutVersion)
    throw new FrameholdError(
      'internal',
      `${file} has layout ${manifest.layout}; this version knows layouts up to ${layoutVersion}.`,
      { hint: 'It was written by a newer version of Framehold: use that version.' },
    );
  return manifest;
}

function parse(text: string): Manifest | null {
  try {
    const manifest = JSON.parse(text) as Manifest;
    const isWhole =
      Number.isInteger(manifest.layout) &&
      typeof manifest.id === 'string' &&
      Array.isArray(manifest.files) &&
      Array.isArray(manifest.faults);
    return isWhole ? manifest : null;
  } catch {
    return null;
  }
}
