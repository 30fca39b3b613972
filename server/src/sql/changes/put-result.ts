import { waitingFor } from '../../base/request-time.ts';
import type { Frames, PutFilesSession, PutTarget } from '../../frames/frames.ts';
import type { Caller } from '../../model/caller.ts';
import { announce } from '../../model/failpoints.ts';
import type { EngineStatement, StatementParameters } from '../../ports/engine.ts';
import type { Observe } from '../../ports/observation.ts';
import type { ResultFolder, ResultFolders } from '../../ports/result-folders.ts';

export interface ResultDependencies {
  readonly frames: Pick<Frames, 'beginPutFiles'>;
  readonly results: ResultFolders;
  readonly observe: Observe;
}

export interface WrittenResult {
  readonly write: NonNullable<EngineStatement['write']>;
  readonly parameters: StatementParameters | null;
  readonly schemaMessage: Uint8Array;
}

/** Lets the engine's workers write the rows of a statement, and puts their files. If they are not complete, nothing is stored. */
export async function putResult(
  { frames, results, observe }: ResultDependencies,
  caller: Caller,
  target: PutTarget,
  { write, parameters, schemaMessage }: WrittenResult,
  signal: AbortSignal,
): ReturnType<PutFilesSession['finish']> {
  // First: what cannot be stored need not be computed.
  const session = await frames.beginPutFiles(caller, target, schemaMessage, signal);
  try {
    const folder = await results.create(caller.tenant);
    try {
      await waitingFor('engine', write(parameters, folder.address));
      announce('result:written');
      signal.throwIfAborted();
      return await session.finish(folder);
    } finally {
      await removed(folder, observe);
    }
  } finally {
    await session.abort();
  }
}

/** What is left is removed when it is old: no reason to fail a statement, whatever came of it. */
async function removed(folder: ResultFolder, observe: Observe): Promise<void> {
  try {
    await folder.remove();
    announce('result:removed');
  } catch (error) {
    observe({ event: 'background-failed', job: 'results', error });
  }
}
