import type { ConvertRequest, DecodeRequest, InspectRequest } from '../../frames/ports/codec.ts';
import { serveTasks, type TaskContext } from '../../workers/serve-tasks.ts';
import { convertStream } from '../convert/convert-stream.ts';
import { decodeUpload } from './decode-upload.ts';
import { type ExamineTask, examineFiles } from './examine-files.ts';
import { inspectUpload } from './inspect-upload.ts';

/** A process for one upload at a time. */
serveTasks({
  inspect: (request: InspectRequest, { signal }: TaskContext) => inspectUpload(request, signal),
  decode: (request: DecodeRequest, { signal, retire }: TaskContext) => {
    // The library's memory only grows, and a file may have left it in any state.
    if (request.format === 'parquet') retire();
    return decodeUpload(request, signal);
  },
  examine: (task: ExamineTask, { signal, retire }: TaskContext) => {
    retire();
    return examineFiles(task, signal);
  },
  convert: (request: ConvertRequest, { signal }: TaskContext) => convertStream(request, signal),
});
