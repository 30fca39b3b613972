import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { runClient } from '../../flight/servers.ts';
import { startBuilt, transcodedFiles } from '../../sql/sql-client.ts';
import type { BenchmarkCase, CaseFamily, OpenFamily, Size } from '../benchmark-case.ts';
import { measureTree } from '../measure-tree.ts';
import { PythonWorker } from '../python-worker.ts';

const transcoding: BenchmarkCase = {
  name: 'transcode',
  title: 'transcoding of 200 MB, with the comparison',
  quantity: 'cpu',
  unit: 'CPU s/GB',
  peer: 'pyarrow, the same in memory',
  targets: [{ of: 'value', atMost: 14 }],
};

/** What follows a put in the background. */
export const transcode: CaseFamily = { name: 'transcode', cases: [transcoding], open };

/** Of 4 MiB each. */
const batchesAtFullScale = 48;

async function open({ scale }: Size): Promise<OpenFamily> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(temporaryFolder('transcode'), removeFolder);
  const source = join(folder, 'source.arrow');
  await runClient('make', source, String(Math.max(1, Math.round(batchesAtFullScale * scale))));
  const worker = opened.use(await PythonWorker.start());
  const framehold = opened.adopt(await startBuilt({}), (each) => each.remove());
  const closing = opened.move();
  return {
    sides: {
      [transcoding.name]: {
        framehold: async () => {
          // Transcoding begins when the put has been answered.
          const { bytes } = await runClient('put', framehold.grpcUrl, 'transcoded', source);
          return await measureTree(framehold.pid, async () => {
            await transcodedFiles(framehold);
            return { work: bytes / 1e9 };
          });
        },
        peer: () => worker.do('transcode', { source, to: join(folder, 'transcoded.parquet') }),
      },
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
