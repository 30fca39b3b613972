import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runPython } from '../../../../server/test/support/python.ts';

/** Writes an Arrow stream for each type, with hard values; the folder that has them. */
export async function caseStreams(folder: string): Promise<string> {
  const sources = join(folder, 'sources');
  mkdirSync(sources);
  const tests = join(import.meta.dirname, '..', '..', '..', '..', 'server', 'test');
  await runPython([join(tests, 'transcode', 'transcode-cases.py'), sources], null);
  await runPython([join(tests, 'engine', 'duckdb', 'types', 'readable-cases.py'), sources], null);
  await runPython([join(import.meta.dirname, 'edge-cases.py'), sources], null);
  return sources;
}
