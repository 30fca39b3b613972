import { type AccessGuard, ownName } from '../frames/access/access-guard.ts';
import type { Caller } from '../model/caller.ts';
import { defaultEngine } from '../model/engine-name.ts';
import { FrameholdError } from '../model/errors.ts';
import type { EngineStatement, StatementShape } from '../ports/engine.ts';
import type { SqlEngine } from './engines.ts';
import type { SqlRequest } from './sql.ts';

/** What is asked before a statement is parsed, before anything is read for it, and before it runs. */
export class StatementChecks {
  readonly #access: AccessGuard;
  readonly #textBytesMax: number;

  constructor(access: AccessGuard, textBytesMax: number) {
    this.#access = access;
    this.#textBytesMax = textBytesMax;
  }

  /** Every kind of statement needs this at least. Without it, a statement is not even parsed, because that takes a slot in the engine. */
  reader(caller: Caller): void {
    this.#access.check(caller, 'sql.query');
  }

  /** Before anything is read: what is needed depends on the kind of statement. */
  access(caller: Caller, { kind, target, upstreamQueries }: StatementShape): void {
    // As it was written: the method that changes it checks whether it belongs to another tenant.
    this.#access.check(caller, `sql.${kind}`, ownName(caller, target?.name ?? null));
    if (upstreamQueries.length > 0) this.#access.check(caller, 'tsdb.query');
  }

  /** Transcoding the tables and fetching rows of the external database may have taken long. */
  current(caller: Caller, { kind, target }: StatementShape): void {
    this.#access.checkCurrent(caller, `sql.${kind}`, target?.name ?? null);
  }

  text(sql: string): void {
    const bytes = Buffer.byteLength(sql);
    const textBytesMax = this.#textBytesMax;
    if (bytes > textBytesMax)
      throw new FrameholdError(
        'body_too_large',
        `The statement has ${bytes} bytes; at most ${textBytesMax} are allowed.`,
        { hint: 'Put long lists of values as a frame and join it. The limit is sql.text_bytes_max.' },
      );
  }
}

export function checkAllowed({ shape }: EngineStatement, { readOnly, heldOnly, into }: SqlRequest): void {
  const changes = shape.kind !== 'query' && shape.kind !== 'explain';
  if (readOnly === true && (changes || into !== undefined))
    throw new FrameholdError(
      'sql_refused',
      'The statement would change something, and only reading is allowed here.',
      {
        sqlState: '25006',
        hint: 'Send statements that change something with POST /v1/sql, or as a Flight SQL update.',
      },
    );
  if (heldOnly === true && shape.upstreamQueries.length > 0)
    throw new FrameholdError('sql_refused', 'tsdb() is not available here: only held frames can be read.', {
      hint: 'Somebody who may use tsdb() can hold its rows as a frame first, with POST /v1/sql and into.',
    });
  if (into !== undefined && shape.kind !== 'query')
    throw new FrameholdError('bad_request', 'Only the rows of a query can be held as a frame.', {
      hint: 'Leave out into, or give a SELECT.',
    });
}

/** Rows of the external database come as files on this machine. */
export function checkSources({ shape }: EngineStatement, { name }: SqlEngine): void {
  if (name === defaultEngine || shape.upstreamQueries.length === 0) return;
  throw new FrameholdError('sql_refused', `tsdb() is not available with the engine ${name}.`, {
    hint: `Hold the rows as a frame first, with ${defaultEngine} and into, then read that frame.`,
  });
}
