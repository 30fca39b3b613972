/**
 * What the zstd level of a Parquet form costs: transcoding as it is (the library compresses at level 1, in WebAssembly), transcoding without
 * compression and the pages compressed by Node at each level, and the recompression of the first form.
 * `node bench/transcode/levels.ts [rows of trades, 10,000,000]`: texts have a fifth of them, lineitem of TPC-H is at a scale of rows / 10,000,000.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { packZstd } from '../../server/src/arrow/compression/zstd.ts';
import type { ParquetCompression } from '../../server/src/parquet/parquet-encodings.ts';
import { plainContent, readLayout, readPages } from '../../server/src/parquet/parquet-layout.ts';
import { recompressFiles } from '../../server/src/transcode/recompress/recompress-files.ts';
import { transcodePart } from '../../server/src/transcode/to-parquet/transcode-part.ts';
import { pythonCommand } from '../../server/test/support/python.ts';
import { partsFolder } from '../../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const rows = Number(process.argv[2] ?? 10_000_000);
const levels = [1, 3, 5, 9, 12, 19];
const folder = temporaryFolder('levels');
const never = new AbortController().signal;
let round = 0;

interface Took {
  readonly bytes: number;
  readonly cpu: number;
  readonly seconds: number;
}

async function measured(run: () => Promise<number>): Promise<Took> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const bytes = await run();
  const { user, system } = process.cpuUsage(cpu);
  return { bytes, cpu: (user + system) / 1e6, seconds: (performance.now() - began) / 1e3 };
}

function print(what: string, { bytes, cpu, seconds }: Took): void {
  console.log(`| ${what} | ${(bytes / 1e6).toFixed(1)} | ${cpu.toFixed(1)} | ${seconds.toFixed(1)} |`);
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

type Written = { readonly path: string; readonly bytes: number; readonly sha256: string };

async function transcoded(source: string, compression: ParquetCompression) {
  const targetDirectory = join(folder, `${compression}-out`);
  mkdirSync(targetDirectory, { recursive: true });
  const prefix = `${round++}-`;
  const request = { source, sha256: await sha256Of(source), targetDirectory, targetPrefix: prefix };
  let files: readonly Written[] = [];
  const took = await measured(async () => {
    ({ files } = await transcodePart(request, compression, never));
    return files.reduce((sum, { bytes }) => sum + bytes, 0);
  });
  return { took, files };
}

/** Only the compression of every page, without writing. */
async function packed(files: readonly Written[], level: number): Promise<Took> {
  let cpu = 0;
  let bytes = 0;
  let seconds = 0;
  for (const { path } of files) {
    await using file = await open(path);
    const layout = await readLayout(file);
    for (const { chunks } of layout.groups)
      for (const chunk of chunks) {
        const contents = (await readPages(layout, chunk)).map(plainContent);
        const took = await measured(async () =>
          contents.reduce(
            (sum, content) => sum + Math.min(content.length, packZstd(content, level).length),
            0,
          ),
        );
        cpu += took.cpu;
        bytes += took.bytes;
        seconds += took.seconds;
      }
  }
  return { bytes, cpu, seconds };
}

try {
  execFileSync(pythonCommand, [join(import.meta.dirname, 'levels.py'), folder, String(rows), partsFolder], {
    stdio: 'inherit',
  });
  for (const name of ['trades', 'texts', 'lineitem']) {
    const source = join(folder, `${name}.arrows`);
    console.log(`\n${name}: ${(statSync(source).size / 1e6).toFixed(0)} MB of Arrow\n`);
    console.log('| | MB | CPU s | s |\n|---|---|---|---|');
    await transcoded(source, 'zstd');
    const first = await transcoded(source, 'zstd');
    print('transcoding, level 1 in the library', first.took);
    print('transcoding, no compression', (await transcoded(source, 'none')).took);
    for (const level of levels)
      print(`pages compressed by Node, level ${level}`, await packed(first.files, level));
    for (const level of levels.slice(1)) {
      const files = first.files.map(({ path, sha256 }) => ({
        source: path,
        sha256,
        target: `${path}.${level}`,
      }));
      const took = await measured(async () => {
        const written = await recompressFiles({ files, level, bytesMax: 2 ** 40 }, never);
        return (written ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
      });
      print(`recompression afterwards, level ${level}`, took);
    }
  }
} finally {
  removeFolder(folder);
}
