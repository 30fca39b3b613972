import { FrameholdError } from '../../../../server/src/model/errors.ts';
import type { TaskContext } from '../../../../server/src/workers/serve-tasks.ts';
import { forgetTexts } from './parse.ts';

/** Work on a statement, as a task of the worker: a statement that was too deep costs the worker, and what the parser learns is bounded. */
export function guarded<Payload, Result>(
  work: (payload: Payload) => Result,
): (payload: Payload, context: TaskContext) => Promise<Result> {
  return async (payload, context) => {
    try {
      return work(payload);
    } catch (thrown) {
      // The stack ran over somewhere in the parser, whose tables may be half written.
      if (thrown instanceof RangeError) {
        context.retire();
        throw tooDeep(thrown);
      }
      throw thrown;
    } finally {
      forgetTexts();
    }
  };
}

function tooDeep(cause: RangeError): FrameholdError {
  return new FrameholdError('sql_refused', 'The statement nests too deeply.', {
    cause,
    hint: 'Write inner queries as WITH queries, and long chains of operators as lists.',
  });
}
