import type { Frames, PutOutcome, PutTarget } from '../../frames/frames.ts';
import type { Notes } from '../../frames/notes/notes.ts';
import { unlessAnswered } from '../../frames/writing/earlier-answer.ts';
import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import { type ExpectedVersion, expectedOf } from '../../model/expected-version.ts';
import { parseHandle, parseNewName } from '../../model/handle.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { BoundStatement, EngineStatement, StatementTarget } from '../../ports/engine.ts';
import type { Observe } from '../../ports/observation.ts';
import { type BindDependencies, bindStatement } from '../bind-statement.ts';
import type { RunningStatement } from '../running-statement.ts';
import type { SqlChange, SqlRequest } from '../sql.ts';
import type { StatementChecks } from '../statement-checks.ts';
import { findFrame, findFrameOrNull } from '../tables/find-frame.ts';
import { TargetMoved, targetVersionsRead, writeConflict } from './moved-target.ts';
import { putStatement } from './put-statement.ts';
import { plainSchema } from './result-schema.ts';
import { conditionsOfPut } from './statement-conditions.ts';

type StatementChangesDependencies = BindDependencies & {
  readonly frames: Frames;
  readonly notes: Pick<Notes, 'change' | 'ofOwn'>;
  readonly observe: Observe;
};

/** How much of a statement's text is kept with the versions it makes, so that a manifest stays small. */
const cachedTextMax = 64 * 1024;
const rowsFormat = { format: 'arrow', originFormat: 'sql' } as const;

/**
 * The first run and three more. Each lost run means that another change of the frame succeeded; who still loses then meets more changes than time, and
 * should know it.
 */
const runsMax = 4;

/** Where the rows of a statement go. */
interface RowsTarget {
  readonly name: string | null;
  readonly mode: PutTarget['mode'];
  readonly ttlMs?: number | null | undefined;
  /** The version whose columns the rows have been given. */
  readonly base?: VersionRecord;
}

/** Statements that make, extend, describe or drop a frame. */
export class StatementChanges {
  readonly #dependencies: StatementChangesDependencies;
  readonly #checks: StatementChecks;

  constructor(dependencies: StatementChangesDependencies, checks: StatementChecks) {
    this.#dependencies = dependencies;
    this.#checks = checks;
  }

  /** Runs a statement that changes something. It has begun, and is bound if it was described a moment ago. */
  async change(running: RunningStatement, begun: EngineStatement, request: SqlRequest): Promise<SqlChange> {
    const changed = await unlessAnswered(
      () => this.#earlier(running, begun, request),
      () => this.#changed(running, begun, request),
    );
    return 'earlier' in changed ? replayed(running, changed.earlier) : changed.value;
  }

  /** Again if the frame that it reads and changes was changed by others meanwhile. */
  async #changed(running: RunningStatement, begun: EngineStatement, request: SqlRequest): Promise<SqlChange> {
    let moved: TargetMoved | null = null;
    for (let runs = 1; ; runs++) {
      try {
        const statement = moved === null ? begun : await running.restart();
        return await this.#once(running, statement, request);
      } catch (error) {
        if (error instanceof TargetMoved) moved = error;
        // It had time enough to run once.
        else if (moved !== null && isTimeout(error)) throw writeConflict(moved, runs, error);
        else throw error;
        if (runs === runsMax) throw writeConflict(moved, runs);
      }
    }
  }

  /** The answer to the same request, if its key was used: before anything is looked up, because it may be gone since. */
  async #earlier(
    { caller }: RunningStatement,
    { shape: { kind, target } }: EngineStatement,
    request: SqlRequest,
  ): Promise<PutOutcome | null> {
    const { into, conditions } = request;
    if (conditions?.idempotencyKey === undefined) return null;
    const mode = into?.mode ?? (kind === 'insert' ? 'append' : 'create');
    const name = into === undefined ? (target?.name ?? null) : into.name;
    return this.#dependencies.frames.replayed(caller, {
      name,
      mode,
      ...rowsFormat,
      ...conditionsOfPut(request),
    });
  }

  async #once(
    running: RunningStatement,
    statement: EngineStatement,
    request: SqlRequest,
  ): Promise<SqlChange> {
    const { kind } = statement.shape;
    if (kind === 'drop') return this.#drop(running, targetOf(statement), request);
    if (kind === 'comment') return this.#comment(running, targetOf(statement));
    if (kind === 'insert') return this.#insert(running, statement, request);
    if (kind === 'create') return this.#create(running, statement, request);
    const { into, conditions } = request;
    if (into === undefined) throw new Error('a query that changes nothing');
    const bound = running.resources.bound ?? (await this.#bind(running, statement, request));
    const mode = conditions?.createOnly === true ? 'create' : into.mode;
    return this.#hold(running, statement, bound, request, { ...into, mode });
  }

  async #insert(
    running: RunningStatement,
    statement: EngineStatement,
    request: SqlRequest,
  ): Promise<SqlChange> {
    const base = await this.insertTarget(running.caller, statement, running.signal);
    checkExisting(base, request);
    const bound = await this.#bind(running, statement, request, base.schema.message);
    return this.#hold(running, statement, bound, request, { name: base.name, mode: 'append', base });
  }

  async #create(
    running: RunningStatement,
    statement: EngineStatement,
    request: SqlRequest,
  ): Promise<SqlChange> {
    const { name, orReplace, conditional } = targetOf(statement);
    const { caller, signal } = running;
    const existing = await findFrameOrNull(this.#dependencies.frames, caller, parseNewName(name), signal);
    checkExisting(existing, request);
    if (existing !== null && !orReplace) {
      if (conditional) return unchanged(running);
      throw frameExists(existing);
    }
    const bound = await this.#bind(running, statement, request);
    const createOnly = request.conditions?.createOnly === true;
    try {
      return await this.#hold(running, statement, bound, request, {
        name: existing?.name ?? name,
        mode: orReplace && !createOnly ? 'replace' : 'create',
      });
    } catch (error) {
      // Another caller created it meanwhile.
      const exists = error instanceof FrameholdError && error.kind === 'frame_exists';
      if (exists && conditional && !createOnly) return unchanged(running);
      throw error;
    }
  }

  async #drop(running: RunningStatement, target: StatementTarget, request: SqlRequest): Promise<SqlChange> {
    const { frames } = this.#dependencies;
    const { caller, signal } = running;
    const found = target.conditional
      ? await findFrameOrNull(frames, caller, target.name, signal)
      : await findFrame(frames, caller, target.name, signal);
    const ifVersion = checkExisting(found, request);
    if (found === null) return unchanged(running);
    running.prepared();
    // With the tenant that was written: without it the caller's own frame of the same name would be dropped.
    const handle = { ...parseHandle(target.name), name: found.name };
    await frames.drop(caller, handle, { ifVersion, purge: false }, signal);
    return unchanged(running);
  }

  async #comment(running: RunningStatement, { name, comment }: StatementTarget): Promise<SqlChange> {
    if (comment === undefined) throw new Error('a comment without a text');
    const { frames, notes } = this.#dependencies;
    const { caller, signal } = running;
    // Notes belong to the name: no version has its own.
    parseNewName(name);
    const record = await findFrame(frames, caller, name, signal);
    running.prepared();
    const { column, text } = comment;
    const patch =
      column === null
        ? { description: text }
        : { columns: { [columnNamed(record, column)]: { comment: text } } };
    await notes.change(caller, record.name, patch, null, signal);
    return unchanged(running);
  }

  #bind(
    running: RunningStatement,
    statement: EngineStatement,
    { parameters }: SqlRequest,
    insertInto: Uint8Array | null = null,
  ): Promise<BoundStatement> {
    return bindStatement(this.#dependencies, this.#checks, running, statement, { insertInto, parameters });
  }

  /** The rows of a bound statement become a version. */
  async #hold(
    running: RunningStatement,
    statement: EngineStatement,
    { schemaMessage }: BoundStatement,
    request: SqlRequest,
    { name, mode, ttlMs, base }: RowsTarget,
  ): Promise<SqlChange> {
    const { caller, records } = running;
    const { parameters, conditions } = request;
    const read = targetVersionsRead(caller, statement.shape, records, name);
    const isOnRead = read.length > 0 && conditions?.ifMatch === undefined;
    const [first, ...others] = base === undefined ? read : [...read, base];
    if (isOnRead && others.some(({ versionId }) => versionId !== first?.versionId))
      throw new TargetMoved(name ?? '');
    const put: PutTarget = {
      name,
      mode,
      ...(ttlMs === undefined ? {} : { ttlMs }),
      ...rowsFormat,
      ...conditionsOfPut(request),
      ...(isOnRead && first !== undefined ? { ifVersion: expectedOf(first) } : {}),
      query: { text: running.sql.slice(0, cachedTextMax), sources: running.sources },
    };
    const rows = { parameters, schemaMessage: plainSchema(schemaMessage) };
    try {
      const outcome = await putStatement(this.#dependencies, running, rows, put);
      if (outcome.replayed) return replayed(running, outcome);
      const { record } = outcome;
      return { kind: 'changed', id: running.id, rows: running.rowCount, record, timings: running.timings };
    } catch (error) {
      const hasMoved = isOnRead && error instanceof FrameholdError && error.kind === 'version_mismatch';
      throw hasMoved ? new TargetMoved(name ?? '', error) : error;
    }
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

/** As the frame writes it: SQL does not tell upper from lower case. */
function columnNamed({ name, schema }: VersionRecord, column: string): string {
  const names = schema.columns.map((each) => each.name);
  const found =
    names.find((each) => each === column) ??
    names.find((each) => each.toLowerCase() === column.toLowerCase());
  if (found !== undefined) return found;
  throw new FrameholdError('sql_invalid', `The frame "${name}" has no column "${column}".`, {
    hint: `DESCRIBE "${name}" shows its columns.`,
  });
}

function unchanged(running: RunningStatement): SqlChange {
  return { kind: 'changed', id: running.id, rows: 0, record: null, timings: running.timings };
}

/** What was made with the same idempotency key. */
function replayed(running: RunningStatement, { record, added }: PutOutcome): SqlChange {
  return { kind: 'changed', id: running.id, rows: added ?? record.rows, record, timings: running.timings };
}

/** The conditions on what is there. Answers the version that must be the newest. */
function checkExisting(existing: VersionRecord | null, { conditions }: SqlRequest): ExpectedVersion | null {
  const ifVersion = conditions?.ifMatch?.allows(existing) ?? null;
  if (existing !== null && conditions?.createOnly === true) throw frameExists(existing);
  return ifVersion;
}

function isTimeout(error: unknown): boolean {
  return error instanceof FrameholdError && error.kind === 'sql_timeout';
}

function frameExists({ name, version }: VersionRecord): FrameholdError {
  return new FrameholdError('frame_exists', `The frame ${name} exists, at version ${version}.`, {
    hint: 'Use CREATE OR REPLACE TABLE, INSERT INTO, or another name.',
  });
}
