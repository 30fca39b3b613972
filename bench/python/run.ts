/**
 * The Python package beside bare pyarrow.flight, for a put and a read of one large frame; and its lazy scans beside local filters.
 *   npm run bench:python -- [rows, 15,625,000: 1 GB] [rounds, 5]
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { partsFolder, repositoryRoot } from '../../server/test/support/repository.ts';

const rows = Number(process.argv[2] ?? 15_625_000);
const rounds = Number(process.argv[3] ?? 5);
const timeoutMs = 1_800_000;

// Without transcoding: it would be counted as the server's work for the next way.
await measure('transfer.py', rows, ['--transcode-threads', '0']);
await measure('scan.py', Math.min(rows, 6_000_000), []);

async function measure(script: string, rowsOfIt: number, flags: readonly string[]): Promise<void> {
  const framehold = await Framehold.start({ command: builtCommand, flags });
  try {
    const { url, grpcUrl: grpc, pid: server } = framehold;
    const python = join(partsFolder, 'python-package', 'bin', 'python');
    const { stdout, stderr, status } = spawnSync(python, [join(import.meta.dirname, script)], {
      input: JSON.stringify({ url, grpc, server, rows: rowsOfIt, rounds }),
      env: { PYTHONPATH: join(repositoryRoot, 'python', 'src'), PYTHONDONTWRITEBYTECODE: '1' },
      encoding: 'utf8',
      timeout: timeoutMs,
    });
    console.log(stdout);
    if (status !== 0) throw new Error(stderr);
  } finally {
    await framehold.remove();
  }
}
