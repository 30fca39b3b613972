import type { Caller } from '../access/caller.ts';
import { FrameholdError } from '../errors.ts';
import type { Frames, PutTarget } from '../frames.ts';
import { parseHandle, parseNewName } from '../handle.ts';
import type { Observe } from '../observation.ts';
import type { BoundStatement, EngineStatement, StatementTarget } from '../ports/engine.ts';
import type { VersionRecord } from '../version.ts';
import { type BindDependencies, bindStatement } from './bind-statement.ts';
import { findFrame, findFrameOrNull } from './find-frame.ts';
import { putStatement } from './put-statement.ts';
import { plainSchema } from './result-schema.ts';
import type { RunningStatement } from './running-statement.ts';
import type { SqlChange, SqlRequest } from './sql.ts';
import type { StatementChecks } from './statement-checks.ts';

type StatementChangesDependencies = BindDependencies & {
  readonly frames: Frames;
  readonly observe: Observe;
};

/** How much of a statement's text is kept with the versions it makes, so that a manifest stays small. */
const keptTextMax = 64 * 1024;

/** Statements that make, extend or drop a frame. */
export class StatementChanges {
  readonly #dependencies: StatementChangesDependencies;
  readonly #checks: StatementChecks;

  constructor(dependencies: StatementChangesDependencies, checks: StatementChecks) {
    this.#dependencies = dependencies;
    this.#checks = checks;
  }

  /** Runs a statement of a kind that changes something. */
  async change(
    running: RunningStatement,
    statement: EngineStatement,
    { parameters }: SqlRequest,
  ): Promise<SqlChange> {
    const { kind } = statement.shape;
    const target = targetOf(statement);
    const { caller, signal } = running;
    if (kind === 'drop') return this.#drop(running, target);
    if (kind === 'insert') {
      const base = await this.insertTarget(caller, statement, signal);
      const bound = await bindStatement(this.#dependencies, this.#checks, running, statement, {
        insertInto: base.schema.message,
        parameters,
      });
      return this.hold(running, statement, bound, parameters, { name: base.name, mode: 'append' });
    }
    const existing = await findFrameOrNull(
      this.#dependencies.frames,
      caller,
      parseNewName(target.name),
      signal,
    );
    if (existing !== null && !target.orReplace) {
      if (target.conditional) return unchanged(running);
      throw frameExists(existing);
    }
    const bound = await bindStatement(this.#dependencies, this.#checks, running, statement, {
      insertInto: null,
      parameters,
    });
    try {
      return await this.hold(running, statement, bound, parameters, {
        name: existing?.name ?? target.name,
        mode: target.orReplace ? 'replace' : 'create',
      });
    } catch (error) {
      // Another caller created it meanwhile.
      if (target.conditional && error instanceof FrameholdError && error.kind === 'frame_exists')
        return unchanged(running);
      throw error;
    }
  }

  async #drop(running: RunningStatement, target: StatementTarget): Promise<SqlChange> {
    const { frames } = this.#dependencies;
    const { caller, signal } = running;
    const found = target.conditional
      ? await findFrameOrNull(frames, caller, target.name, signal)
      : await findFrame(frames, caller, target.name, signal);
    if (found === null) return unchanged(running);
    running.prepared();
    // With the tenant that was written: without it the caller's own frame of the same name would be dropped.
    const handle = { ...parseHandle(target.name), name: found.name };
    await frames.drop(caller, handle, { ifVersion: null, purge: false }, signal);
    return unchanged(running);
  }

  /** The rows of a bound statement become a version. */
  async hold(
    running: RunningStatement,
    statement: EngineStatement,
    { schemaMessage }: BoundStatement,
    parameters: SqlRequest['parameters'],
    target: { name: string | null; mode: PutTarget['mode']; ttlMs?: number | null | undefined },
  ): Promise<SqlChange> {
    const { name, mode, ttlMs } = target;
    const put: PutTarget = {
      name,
      mode,
      ...(ttlMs === undefined ? {} : { ttlMs }),
      format: 'arrow',
      originFormat: 'sql',
      query: { text: running.sql.slice(0, keptTextMax), sources: running.sources },
    };
    const rows = { statement, parameters, schemaMessage: plainSchema(schemaMessage) };
    const record = await putStatement(this.#dependencies, running, rows, put);
    return { kind: 'changed', id: running.id, rows: running.rowCount, record, timings: running.timings };
  }

  /** The newest version of what is inserted into. */
  async insertTarget(
    caller: Caller,
    statement: EngineStatement,
    signal: AbortSignal,
  ): Promise<VersionRecord> {
    const { name } = targetOf(statement);
    // A version never changes: only a name can be inserted into.
    parseNewName(name);
    return findFrame(this.#dependencies.frames, caller, name, signal);
  }
}

function targetOf({ shape }: EngineStatement): StatementTarget {
  if (shape.target === null) throw new Error(`a statement of kind ${shape.kind} without target`);
  return shape.target;
}

function unchanged(running: RunningStatement): SqlChange {
  return { kind: 'changed', id: running.id, rows: 0, record: null, timings: running.timings };
}

function frameExists({ name, version }: VersionRecord): FrameholdError {
  return new FrameholdError('frame_exists', `The frame ${name} exists, at version ${version}.`, {
    hint: 'Use CREATE OR REPLACE TABLE, INSERT INTO, or another name.',
  });
}
