import { renewParquet } from '../parquet/parquet-module.ts';
import type { ConvertRequest, DecodeRequest, InspectRequest } from '../ports/codec.ts';
import type { Task, TaskContext } from '../workers/serve-tasks.ts';
import { convertStream } from './convert/convert-stream.ts';
import { decodeUpload } from './decode-upload.ts';
import { type ExamineTask, examineFiles } from './examine-files.ts';
import { inspectUpload } from './inspect-upload.ts';

/** After a small file there is little to collect. */
const collectBytesMin = 112 * 1024 * 1024;

/** What a process does for one upload at a time. */
export const decodeTasks = {
  inspect: (request: InspectRequest, { signal }: TaskContext) => inspectUpload(request, signal),
  decode: (request: DecodeRequest, context: TaskContext) =>
    request.format === 'parquet'
      ? withParquet(context, () => decodeUpload(request, context.signal))
      : decodeUpload(request, context.signal),
  examine: (task: ExamineTask, context: TaskContext) =>
    withParquet(context, () => examineFiles(task, context.signal)),
  convert: (request: ConvertRequest, { signal }: TaskContext) => convertStream(request, signal),
} satisfies Record<string, Task>;

/** A file may leave the library in any state: the next one gets another instance of it, and another process if this one could not be read to its end. */
async function withParquet<Result>({ retire }: TaskContext, read: () => Promise<Result>): Promise<Result> {
  try {
    const result = await read();
    renewParquet();
    // A few instances that V8 has not collected yet would cost the process its place, and the next file all that is compiled.
    if (process.memoryUsage.rss() > collectBytesMin) globalThis.gc?.();
    return result;
  } catch (thrown) {
    retire();
    throw thrown;
  }
}
