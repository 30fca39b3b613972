/**
 * What the zstd level of a Parquet form costs: transcoding with the compression of the library (level 1, in WebAssembly), without any, and at
 * each level.
 * `node bench/transcode/levels.ts [rows of trades, 10,000,000] [levels, 1,3,9,19]`: texts have a fifth of the rows, lineitem of TPC-H is at a scale of rows / 10,000,000.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type PartCompression, transcodePart } from '../../server/src/transcode/to-parquet/transcode-part.ts';
import { pythonCommand } from '../../server/test/support/python.ts';
import { partsFolder } from '../../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const rows = Number(process.argv[2] ?? 10_000_000);
const levels = (process.argv[3] ?? '1,3,9,19').split(',').map(Number);
const folder = temporaryFolder('levels');
const never = new AbortController().signal;

interface Took {
  readonly bytes: number;
  readonly cpu: number;
  readonly seconds: number;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function transcoded(source: string, sha256: string, compression: PartCompression): Promise<Took> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const request = { source, sha256, targetDirectory: folder, targetPrefix: 'out-' };
  const { files } = await transcodePart(request, compression, never);
  const { user, system } = process.cpuUsage(cpu);
  for (const { path } of files) rmSync(path);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { bytes, cpu: (user + system) / 1e6, seconds: (performance.now() - began) / 1e3 };
}

try {
  execFileSync(pythonCommand, [join(import.meta.dirname, 'levels.py'), folder, String(rows), partsFolder], {
    stdio: 'inherit',
  });
  for (const name of ['trades', 'texts', 'lineitem']) {
    const source = join(folder, `${name}.arrows`);
    const sha256 = await sha256Of(source);
    const cases: [string, PartCompression][] = [
      ['level 1 in the library', { algorithm: 'zstd', level: null }],
      ['no compression', { algorithm: 'none', level: null }],
      ...levels.map((level): [string, PartCompression] => [`level ${level}`, { algorithm: 'zstd', level }]),
    ];
    console.log(`\n${name}: ${(statSync(source).size / 1e6).toFixed(0)} MB of Arrow\n`);
    console.log('| | MB | CPU s | s |\n|---|---|---|---|');
    // Everything is compiled once before it is measured.
    await transcoded(source, sha256, { algorithm: 'zstd', level: 1 });
    for (const [what, compression] of cases) {
      const { bytes, cpu, seconds } = await transcoded(source, sha256, compression);
      console.log(`| ${what} | ${(bytes / 1e6).toFixed(1)} | ${cpu.toFixed(1)} | ${seconds.toFixed(1)} |`);
    }
  }
} finally {
  removeFolder(folder);
}
