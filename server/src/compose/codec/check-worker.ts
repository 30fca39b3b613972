import { reconcileSchemas } from '../../decode/convert/reconcile-schemas.ts';
import { renumberStream } from '../../decode/convert/renumber-stream.ts';
import type { SchemaRecord } from '../../model/version.ts';
import { checkStream } from '../../validate/check-stream.ts';
import { hashFile } from '../../workers/hash-file.ts';
import { serveTasks } from '../../workers/serve-tasks.ts';

/** A thread that many puts share: it works on each in small turns. */
serveTasks({
  check: checkStream,
  async hash({ path, algorithm }: { path: string; algorithm: 'sha256' | 'sha512' }, { signal }) {
    return (await hashFile(path, { algorithm, signal })).hash;
  },
  async reconcile({ base, added }: { base: SchemaRecord; added: SchemaRecord }) {
    return reconcileSchemas(base, added);
  },
  async renumber(
    { source, target, schema }: { source: string; target: string; schema: SchemaRecord },
    { signal },
  ) {
    await renumberStream(source, target, schema, signal);
  },
});
