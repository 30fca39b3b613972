import { reconcileSchemas } from '../../decode/convert/reconcile-schemas.ts';
import { renumberStream } from '../../decode/convert/renumber-stream.ts';
import type { SchemaRecord } from '../../model/version.ts';
import { checkStream } from '../../validate/check-stream.ts';
import { hashFile } from '../../workers/hash-file.ts';
import type { Task, TaskContext } from '../../workers/serve-tasks.ts';

interface HashTask {
  readonly path: string;
  readonly algorithm: 'sha256' | 'sha512';
}

interface ReconcileTask {
  readonly base: SchemaRecord;
  readonly added: SchemaRecord;
}

interface RenumberTask {
  readonly source: string;
  readonly target: string;
  readonly schema: SchemaRecord;
}

/** What a thread does for many puts, each in small turns. */
export const checkTasks = {
  check: checkStream,
  hash: async ({ path, algorithm }: HashTask, { signal }: TaskContext) =>
    (await hashFile(path, { algorithm, signal })).hash,
  reconcile: async ({ base, added }: ReconcileTask) => reconcileSchemas(base, added),
  renumber: ({ source, target, schema }: RenumberTask, { signal }: TaskContext) =>
    renumberStream(source, target, schema, signal),
} satisfies Record<string, Task>;
