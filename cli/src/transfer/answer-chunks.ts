import { type Framehold, FrameholdError } from '../../../client/src/index.ts';

/** The bytes of an answer. If it ends too early, the error says why the statement failed, or that the answer is incomplete. */
export async function* answerChunks(
  client: Framehold,
  answer: Response,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    if (answer.body !== null) for await (const chunk of answer.body) yield chunk as Uint8Array;
  } catch (thrown) {
    signal.throwIfAborted();
    const queryId = answer.headers.get('framehold-query-id');
    const error = queryId === null ? undefined : (await client.queries.get(queryId).catch(() => null))?.error;
    throw new FrameholdError(
      error === undefined
        ? {
            code: 'incomplete_answer',
            status: 0,
            title: 'The answer is incomplete',
            detail: 'The answer ended before its last row.',
            hint: 'Repeat the command. If it fails again, the log of the server says why.',
            cause: thrown,
          }
        : { ...error, cause: thrown },
    );
  }
}
