import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask, catalogParts } from '../../server/test/support/catalog-file.ts';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { pythonCommand } from '../../server/test/support/python.ts';

const timeoutMs = 7_200_000;

/** Runs one measurement of client.py. */
export async function sqlClient<Answer>(mode: string, ...args: readonly string[]): Promise<Answer> {
  const script = join(import.meta.dirname, 'client.py');
  const { stdout } = await promisify(execFile)(pythonCommand, [script, mode, ...args], {
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as Answer;
}

/** As it is installed, with these settings. */
export async function startBuilt(env: Readonly<Record<string, string>>): Promise<Framehold> {
  return await Framehold.start({ command: builtCommand, env });
}

/** The Parquet files of everything that is held, or of one frame, once every part has been transcoded. */
export async function transcodedFiles(framehold: Framehold, name?: string): Promise<string[]> {
  await framehold.until(
    'settled frames',
    () => (catalogParts(framehold.dataDirectory).every(({ parquet }) => parquet !== 'none') ? true : null),
    timeoutMs,
  );
  return ask<{ key: string }>(
    framehold.dataDirectory,
    `select key from objects join parts on parts.id = objects.part join names on names.id = parts.name_id
     where key like '%.parquet' and names.name = ifnull(?, names.name) order by key`,
    name ?? null,
  ).map(({ key }) => join(framehold.dataDirectory, 'cold', key));
}

export function verdict(met: boolean): string {
  return met ? 'met' : 'MISSED';
}
