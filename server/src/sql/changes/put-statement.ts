import type { Schema } from '../../arrow/field.ts';
import { compareSchemas } from '../../arrow/schema/schema-difference.ts';
import type { Frames, PutOutcome, PutTarget } from '../../frames/frames.ts';
import { parseHandle } from '../../model/handle.ts';
import type { StatementParameters } from '../../ports/engine.ts';
import type { Observe } from '../../ports/observation.ts';
import type { RunningStatement } from '../running-statement.ts';
import { isPlain } from './plain-columns.ts';
import { putResult } from './put-result.ts';
import { putRows } from './put-rows.ts';
import { schemaOf } from './result-schema.ts';

interface PutStatementDependencies {
  readonly frames: Frames;
  readonly observe: Observe;
}

/** The rows of a bound statement. */
interface StatementRows {
  readonly parameters: StatementParameters | null;
  readonly schemaMessage: Uint8Array;
}

/** Puts the rows of a statement: the engine's workers write them in parallel if they can, else they come as a stream. */
export async function putStatement(
  dependencies: PutStatementDependencies,
  running: RunningStatement,
  rows: StatementRows,
  target: PutTarget,
): Promise<PutOutcome> {
  const { frames } = dependencies;
  const { caller, signal } = running;
  const written = await putWritten(dependencies, running, rows, target);
  if (written !== null) return written;
  const { parameters, schemaMessage } = rows;
  const messages = running.counted(running.resources.run(parameters));
  return putRows(frames, caller, target, { schemaMessage, messages }, signal);
}

/** null if the engine has no workers that write, or if the rows must be converted on their way. */
async function putWritten(
  { frames, observe }: PutStatementDependencies,
  running: RunningStatement,
  { parameters, schemaMessage }: StatementRows,
  target: PutTarget,
): Promise<PutOutcome | null> {
  const { caller, signal, engine } = running;
  const { results } = engine;
  const { write } = running.resources;
  // Several rows of parameters give several results.
  if (results === null || write === undefined || parameters?.kind === 'arrow') return null;
  const schema = schemaOf(schemaMessage);
  if (!isPlain(schema) || !(await fits(frames, running, target, schema))) return null;
  const result = { write, parameters, schemaMessage };
  const { rows, ...outcome } = await putResult({ frames, results, observe }, caller, target, result, signal);
  running.wrote(rows);
  return outcome;
}

/** Whether the rows can be appended as they are. Converting them is left to an ordinary put, which also says what does not fit. */
async function fits(
  frames: Frames,
  { caller, signal }: RunningStatement,
  { mode, name }: PutTarget,
  added: Schema,
): Promise<boolean> {
  if (mode !== 'append' || name === null) return true;
  const base = await frames.resolve(caller, parseHandle(name), signal);
  return compareSchemas(schemaOf(base.schema.message), added).difference === null;
}
