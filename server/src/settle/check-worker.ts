import type { SchemaRecord } from '../frames/version.ts';
import { serveTasks } from '../workers/serve-tasks.ts';
import { checkStream } from './check-stream.ts';
import { reconcileSchemas } from './reconcile-schemas.ts';
import { renumberStream } from './renumber-stream.ts';

/** A thread that many puts share: all of its work is done in small turns. */
serveTasks({
  check: checkStream,
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
