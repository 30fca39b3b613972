/**
 * One frame read by one client as 1, 2 and 4 ranges of rows at the same time, from one node: what a range costs. Two cores cannot show what
 * several nodes gain. `node bench/scale/ranges.ts [batches of 4 MiB, 256] [rounds, 3]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { type ClientReport, runClient } from '../flight/servers.ts';
import { treeCpuSeconds } from '../sql/process-tree.ts';
import { median } from './median.ts';

const batches = Number(process.argv[2] ?? 256);
const rounds = Number(process.argv[3] ?? 3);
const counts = [1, 2, 4];

interface Read {
  readonly title: string;
  readonly run: (url: string) => Promise<ClientReport>;
}

const folder = mkdtempSync(join(tmpdir(), 'framehold-ranges-'));
// Transcoding would compete for the same processors in its own time; it is measured elsewhere.
const framehold = await Framehold.start({ command: builtCommand, flags: ['--transcode-threads', '0'] });
try {
  const source = join(folder, 'source.arrow');
  await runClient('make', source, String(batches));
  await runClient('put', framehold.grpcUrl, 'source', source);
  const reads: readonly Read[] = [
    { title: 'DoGet of the handle', run: (url) => runClient('get', url, 'source') },
    ...counts.map((count) => ({
      title: `${count} ranges`,
      run: (url: string) => runClient('ranges', url, 'source', String(count)),
    })),
  ];
  const figures = reads.map(() => ({ rate: [] as number[], cpu: [] as number[] }));
  for (let round = 0; round < rounds; round++)
    for (const [index, { run }] of reads.entries()) {
      const before = treeCpuSeconds(framehold.pid);
      const { seconds, bytes } = await run(framehold.grpcUrl);
      figures[index]?.rate.push(bytes / 1e9 / seconds);
      figures[index]?.cpu.push((treeCpuSeconds(framehold.pid) - before) / (bytes / 1e9));
    }
  for (const [index, { title }] of reads.entries()) {
    const { rate = [], cpu = [] } = figures[index] ?? {};
    console.log(
      `${title.padEnd(22)} ${median(rate).toFixed(2)} GB/s  ${median(cpu).toFixed(2)} CPU s/GB of the server`,
    );
  }
} finally {
  await framehold.remove();
  rmSync(folder, { recursive: true, force: true });
}
