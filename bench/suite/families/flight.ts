import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { builtCommand, Framehold } from '../../../server/test/support/framehold-process.ts';
import { removeFolder, temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { runClient, startCpp } from '../../flight/servers.ts';
import type { BenchmarkCase, CaseFamily, OpenFamily, Sides, Size } from '../benchmark-case.ts';
import { measureTree } from '../measure-tree.ts';
import { PythonWorker } from '../python-worker.ts';
import { repeatsOf } from '../repeats.ts';

const peer = "pyarrow's C++ Flight server";
const memory = { of: 'ownMegabytes', atMost: 400 } as const;

const get: BenchmarkCase = {
  name: 'flight-get',
  title: 'DoGet, 1 GB',
  quantity: 'rate',
  unit: 'GB/s',
  peer,
  targets: [{ of: 'ratio', atLeast: 0.95 }, memory],
  inShare: true,
};
const put: BenchmarkCase = {
  name: 'flight-put',
  title: 'DoPut, durable, 1 GB',
  quantity: 'rate',
  unit: 'GB/s',
  peer,
  targets: [{ of: 'ratio', atLeast: 0.85 }, memory],
  inShare: true,
};
const slowCase = { quantity: 'memory', unit: 'MB', peer, targets: [memory] } as const;
const slowReaders: BenchmarkCase = { ...slowCase, name: 'flight-slow-readers', title: '8 slow readers' };
const slowWriters: BenchmarkCase = { ...slowCase, name: 'flight-slow-writers', title: '8 slow writers' };

/** The same bytes and the same client. The C++ server writes puts to a file with fsync; Framehold also checks, hashes and commits. */
export const flight: CaseFamily = { name: 'flight', cases: [get, put, slowReaders, slowWriters], open };

/** Of 4 MiB each. */
const batchesAtFullScale = 256;
const slowCallers = 8;

async function open({ scale, loadSeconds }: Size): Promise<OpenFamily> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(temporaryFolder('flight'), removeFolder);
  const source = join(folder, 'source.arrow');
  mkdirSync(join(folder, 'cpp'));
  await runClient('make', source, String(Math.max(1, Math.round(batchesAtFullScale * scale))));
  const client = opened.use(await PythonWorker.start());
  const cpp = opened.use(await startCpp(join(folder, 'cpp'), source));
  const framehold = opened.adopt(
    // Transcoding would compete for the same processors in its own time; it is a case of its own.
    await Framehold.start({ command: builtCommand, flags: ['--transcode-threads', '0'] }),
    (each) => each.remove(),
  );
  await runClient('put', framehold.grpcUrl, 'source', source);
  const sides = (mode: string, what: readonly string[], repeats = 1): Sides => {
    const measured = (pid: number, url: string) =>
      measureTree(pid, async () => {
        const { seconds, work } = await client.do('flight', { mode, arguments: [url, ...what], repeats });
        return { seconds, work };
      });
    return {
      framehold: () => measured(framehold.pid, framehold.grpcUrl),
      peer: () => measured(cpp.pid, cpp.url),
    };
  };
  const slow = [String(slowCallers), String(loadSeconds)];
  const closing = opened.move();
  return {
    sides: {
      [get.name]: sides('get', ['source'], repeatsOf(scale, 0.5)),
      [put.name]: sides('put', ['put', source]),
      [slowReaders.name]: sides('slow-get', ['source', ...slow]),
      [slowWriters.name]: sides('slow-put', ['slow', source, ...slow]),
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
