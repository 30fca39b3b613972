import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runPython } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface PyarrowStream {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Values by batch, column and row, as make-streams.py writes them; null if it wrote none. */
  readonly values: readonly (readonly (readonly unknown[])[])[] | null;
}

/** Streams of every type, written by pyarrow for this test process. */
export async function pyarrowStreams(): Promise<ReadonlyMap<string, PyarrowStream>> {
  const folder = temporaryFolder('streams');
  await runPython([join(import.meta.dirname, 'make-streams.py'), folder], null);
  const files = new Set(readdirSync(folder));
  const streams = new Map<string, PyarrowStream>();
  for (const file of files) {
    if (!file.endsWith('.arrows')) continue;
    const name = file.slice(0, -'.arrows'.length);
    const values = files.has(`${name}.json`)
      ? JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
      : null;
    streams.set(name, { name, bytes: readFileSync(join(folder, file)), values });
  }
  return streams;
}
