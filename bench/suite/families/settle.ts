import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { runClient } from '../../flight/servers.ts';
import { settledFiles, startBuilt } from '../../sql/sql-client.ts';
import type { BenchmarkCase, CaseFamily, OpenFamily, Size } from '../benchmark-case.ts';
import { measureTree } from '../measure-tree.ts';
import { PythonWorker } from '../python-worker.ts';

const settling: BenchmarkCase = {
  name: 'settle',
  title: 'settling of 200 MB, with the comparison',
  quantity: 'cpu',
  unit: 'CPU s/GB',
  peer: 'pyarrow, the same in memory',
  targets: [{ of: 'value', atMost: 14 }],
};

/** What follows a put in the background. */
export const settle: CaseFamily = { name: 'settle', cases: [settling], open };

/** Of 4 MiB each. */
const batchesAtFullScale = 48;

async function open({ scale }: Size): Promise<OpenFamily> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(temporaryFolder('settle'), removeFolder);
  const source = join(folder, 'source.arrow');
  await runClient('make', source, String(Math.max(1, Math.round(batchesAtFullScale * scale))));
  const worker = opened.use(await PythonWorker.start());
  const framehold = opened.adopt(await startBuilt({}), (each) => each.remove());
  const closing = opened.move();
  return {
    sides: {
      [settling.name]: {
        framehold: async () => {
          // Settling begins when the put has been answered.
          const { bytes } = await runClient('put', framehold.grpcUrl, 'settled', source);
          return await measureTree(framehold.pid, async () => {
            await settledFiles(framehold);
            return { work: bytes / 1e9 };
          });
        },
        peer: () => worker.do('settle', { source, to: join(folder, 'settled.parquet') }),
      },
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
