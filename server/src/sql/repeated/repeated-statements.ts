import type { Frames } from '../../frames/frames.ts';
import type { Caller } from '../../model/caller.ts';
import type { SentText } from '../../model/sent-text.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { StatementShape } from '../../ports/engine.ts';
import type { SqlDescription } from '../../ports/prepared-statements.ts';
import type { SqlEngine } from '../engines.ts';
import type { RunningStatement } from '../running-statement.ts';
import type { SqlKept, SqlRequest, SqlRows } from '../sql.ts';
import { findFrame } from '../tables/find-frame.ts';
import { type AnswerPlace, type KeptAnswer, type KeptStatements, keptMessages } from './kept-statements.ts';
import { answerKey, versionsKey } from './statement-key.ts';

export interface RepeatedStatementsDependencies {
  readonly frames: Frames;
  readonly kept: KeptStatements;
}

interface FoundAnswer {
  readonly answer: KeptAnswer;
  readonly records: readonly VersionRecord[];
}

/** Found one after another. With more frames, running the statement takes far longer than finding its answer saves. */
const framesMax = 16;

/**
 * Statements that were run before, by the text. Every name is looked up again, as the caller who sends it: what is kept belongs to the versions that were
 * read, and is found only by who may read those now.
 */
export class RepeatedStatements {
  readonly #dependencies: RepeatedStatementsDependencies;

  constructor(dependencies: RepeatedStatementsDependencies) {
    this.#dependencies = dependencies;
  }

  /** What a text is, if it is known and something of it repeats. */
  shape(caller: Caller, engine: SqlEngine, sql: string): StatementShape | null {
    const shape = this.#dependencies.kept.shape(sentText(caller, engine, sql));
    return shape !== null && shape.tables.length <= framesMax ? shape : null;
  }

  learnShape(caller: Caller, engine: SqlEngine, sql: string, shape: StatementShape): void {
    this.#dependencies.kept.learnShape(sentText(caller, engine, sql), shape);
  }

  /** null if it must be bound. */
  async description(
    caller: Caller,
    engine: SqlEngine,
    sql: string,
    shape: StatementShape,
    signal: AbortSignal,
  ): Promise<SqlDescription | null> {
    const records = await this.versions(caller, shape, signal);
    return this.#dependencies.kept.description(versionsKey(sentText(caller, engine, sql), records));
  }

  learnDescription(
    caller: Caller,
    engine: SqlEngine,
    sql: string,
    shape: StatementShape,
    records: readonly VersionRecord[],
    description: SqlDescription,
  ): void {
    if (shape.repeats === undefined) return;
    const versions = versionsKey(sentText(caller, engine, sql), records);
    this.#dependencies.kept.learnDescription(versions, description, caller.tenant);
  }

  /** null if it must be run. */
  async answer(
    { caller, engine, signal }: RunningStatement,
    shape: StatementShape,
    { sql, parameters, form }: SqlRequest,
  ): Promise<FoundAnswer | null> {
    if (shape.repeats !== 'rows') return null;
    const records = await this.versions(caller, shape, signal);
    const versions = versionsKey(sentText(caller, engine, sql), records);
    // Rows that were kept for another listener can be sent in every form.
    const forms = form === undefined ? [null] : [form, null];
    const keys = forms.map((each) => answerKey(versions, parameters, each));
    const answer = this.#dependencies.kept.answer(keys);
    return answer === null ? null : { answer, records };
  }

  /** Where the answer of a statement that runs, and has opened its tables, will be kept; null if it will not. */
  place(running: RunningStatement, shape: StatementShape, request: SqlRequest): AnswerPlace | null {
    if (shape.repeats !== 'rows') return null;
    this.#dependencies.kept.missed();
    return this.#placeOf(running, request);
  }

  /** The outcome of a statement whose answer was found. */
  give(running: RunningStatement, { answer, records }: FoundAnswer, request: SqlRequest): SqlRows | SqlKept {
    running.answered(records);
    const { id, sources, timings } = running;
    if (answer.kind === 'body') {
      running.wrote(answer.rows);
      const release = () => running.end('ok');
      return { kind: 'kept', id, body: answer.body, sources, timings, release };
    }
    const { schemaMessage, markedSchemaMessage, columns } = answer;
    const messages = running.rows(keptMessages(answer, running.signal));
    const place = request.form === undefined ? null : this.#placeOf(running, request);
    return {
      kind: 'rows',
      id,
      schemaMessage,
      markedSchemaMessage,
      columns,
      messages,
      sources,
      timings,
      ...keeping(running, place),
      release: () => running.end('cancelled'),
    };
  }

  #placeOf(
    { caller, engine, records }: RunningStatement,
    { sql, parameters, form }: SqlRequest,
  ): AnswerPlace | null {
    const versions = versionsKey(sentText(caller, engine, sql), records);
    return this.#dependencies.kept.place(answerKey(versions, parameters, form ?? null), caller.tenant);
  }

  /** What the names in it mean now. One after another, so that the first in the text that cannot be read is the one that is named. */
  async versions(
    caller: Caller,
    { tables }: StatementShape,
    signal: AbortSignal,
  ): Promise<readonly VersionRecord[]> {
    const records: VersionRecord[] = [];
    for (const name of tables) records.push(await findFrame(this.#dependencies.frames, caller, name, signal));
    return records;
  }
}

/** For a listener that names the form of its answer. */
export function keeping(running: RunningStatement, place: AnswerPlace | null): Pick<SqlRows, 'keep'> {
  if (place === null) return {};
  const { bytesMax, keepBody } = place;
  return { keep: { bytesMax, whole: (body) => keepBody(body, running.rowCount) } };
}

function sentText({ tenant }: Caller, { name: engine }: SqlEngine, sql: string): SentText {
  return { tenant, engine, sql };
}
