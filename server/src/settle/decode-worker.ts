import type { DecodeRequest } from '../frames/ports/codec.ts';
import { serveTasks, type TaskContext } from '../workers/serve-tasks.ts';
import { decodeUpload } from './decode-upload.ts';

/** A process for one upload: it ends with it, and its memory too. */
serveTasks({
  decode: (request: DecodeRequest, { signal }: TaskContext) => decodeUpload(request, signal),
});
