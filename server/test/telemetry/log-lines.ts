import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Log, type LogOptions } from '../../src/telemetry/log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('log');
let files = 0;

/** What a log wrote while the function ran. */
export async function linesOf(options: Omit<LogOptions, 'fd'>, use: (log: Log) => void): Promise<string[]> {
  const path = join(folder, `${files++}.log`);
  const fd = openSync(path, 'w');
  const log = new Log({ ...options, fd });
  use(log);
  await log.close();
  closeSync(fd);
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}
