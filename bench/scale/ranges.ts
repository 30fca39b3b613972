/**
 * One frame read by one client as 1, 2 and 4 ranges of rows at the same time, from one node: what a range costs. Two cores cannot show what
 * several nodes gain. `node bench/scale/ranges.ts [batches of 4 MiB, 256] [rounds, 3]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientReport, type MeasuredServer, runClient, startFramehold } from '../flight/servers.ts';
import { median } from './median.ts';

const batches = Number(process.argv[2] ?? 256);
const rounds = Number(process.argv[3] ?? 3);
const counts = [1, 2, 4];

interface Read {
  readonly title: string;
  readonly run: (server: MeasuredServer) => Promise<ClientReport>;
}

const folder = mkdtempSync(join(tmpdir(), 'framehold-ranges-'));
const server = await startFramehold(folder);
try {
  const source = join(folder, 'source.arrow');
  await runClient('make', source, String(batches));
  await runClient('put', server.url, 'source', source);
  const reads: readonly Read[] = [
    { title: 'DoGet of the handle', run: ({ url }) => runClient('get', url, 'source') },
    ...counts.map((count) => ({
      title: `${count} ranges`,
      run: ({ url }: MeasuredServer) => runClient('ranges', url, 'source', String(count)),
    })),
  ];
  const figures = reads.map(() => ({ rate: [] as number[], cpu: [] as number[] }));
  for (let round = 0; round < rounds; round++)
    for (const [index, { run }] of reads.entries()) {
      const before = server.cpuSeconds;
      const { seconds, bytes } = await run(server);
      figures[index]?.rate.push(bytes / 1e9 / seconds);
      figures[index]?.cpu.push((server.cpuSeconds - before) / (bytes / 1e9));
    }
  for (const [index, { title }] of reads.entries()) {
    const { rate = [], cpu = [] } = figures[index] ?? {};
    console.log(
      `${title.padEnd(22)} ${median(rate).toFixed(2)} GB/s  ${median(cpu).toFixed(2)} CPU s/GB of the server`,
    );
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
