import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { errorFromPayload, errorToPayload, FrameholdError } from '../../../model/errors.ts';
import { announce } from '../../../model/failpoints.ts';
import { outcomeUnknown } from '../../refusals.ts';

import type { OperationTable } from './operations.ts';
import type { Answers, OperationAnswer, OperationRequest } from './protocol.ts';
import type { TupleVersions } from './record-tuples.ts';

type Handlers = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** A schema may have 16 MiB, and a group five hundred of them: answered at once they would be gigabytes. */
const answeredSchemaBytesMax = 16 * 1024 * 1024;

/** SQLite's result code for "no room". */
const sqliteFull = 13;

/**
 * Runs a group of operations: the reads on what is committed, then all writes in one transaction, each under its own
 * savepoint, so that one fsync serves the group and one refusal does not touch the others.
 */
export class GroupedCommits {
  readonly #db: DatabaseSync;
  readonly #reads: Handlers;
  readonly #writes: Handlers;
  readonly #takeChangedTenants: OperationTable['takeChangedTenants'];
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #undo: StatementSync;
  readonly #release: StatementSync;

  constructor(db: DatabaseSync, { reads, writes, takeChangedTenants }: OperationTable) {
    this.#takeChangedTenants = takeChangedTenants;
    this.#db = db;
    this.#reads = reads as Handlers;
    this.#writes = writes as Handlers;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#savepoint = db.prepare('SAVEPOINT change');
    this.#undo = db.prepare('ROLLBACK TO change');
    this.#release = db.prepare('RELEASE change');
  }

  /**
   * Answers in the order in which the operations took effect. The reads are answered before the writes begin.
   * If they have become large it ends early and returns what is left to do, to continue once they are taken.
   */
  run(
    group: readonly OperationRequest[],
    answer: (answers: Answers) => void,
  ): readonly OperationRequest[] | null {
    const reads = group.filter((request) => Object.hasOwn(this.#reads, request.operation));
    const writes = group.filter((request) => !Object.hasOwn(this.#reads, request.operation));
    const answers: OperationAnswer[] = [];
    let schemaBytes = 0;
    for (const request of reads) {
      if (schemaBytes >= answeredSchemaBytesMax) break;
      const answered = attempt(request, this.#reads);
      answers.push(answered);
      schemaBytes += schemaBytesOf(answered);
    }
    if (answers.length > 0) answer({ answers });
    if (schemaBytes >= answeredSchemaBytesMax) return [...reads.slice(answers.length), ...writes];
    if (writes.length === 0) return null;
    const written = this.#runWrites(writes);
    const changedTenants = this.#takeChangedTenants();
    answer(changedTenants.length === 0 ? { answers: written } : { answers: written, changedTenants });
    return null;
  }

  #runWrites(writes: readonly OperationRequest[], isRetry = false): OperationAnswer[] {
    try {
      this.#begin.run();
      const answers = writes.map((request) => this.#runWrite(request));
      announce('catalog:changed');
      this.#commitWrites();
      announce('catalog:synced');
      return answers;
    } catch (error) {
      // The transaction failed as a whole.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      // The write-ahead log may be what fills the disk: a checkpoint makes room, also for the drop that frees more.
      if (!isRetry && isFull(error) && this.#emptyLog()) return this.#runWrites(writes, true);
      const payload = errorToPayload(asFull(error));
      return writes.map(({ id }) => ({ id, error: payload }));
    }
  }

  /** A commit that fails for another reason than a full disk may still be in the log, and take effect after a restart. */
  #commitWrites(): void {
    try {
      this.#commit.run();
    } catch (error) {
      throw isFull(error) ? error : outcomeUnknown(error);
    }
  }

  #emptyLog(): boolean {
    try {
      return this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
    } catch {
      return false;
    }
  }

  #runWrite(request: OperationRequest): OperationAnswer {
    this.#savepoint.run();
    const answer = attempt(request, this.#writes);
    if ('error' in answer) {
      // Some failures, such as no room, end the whole transaction and with it the savepoint.
      if (!this.#db.isTransaction || answer.error.kind === 'disk_full') throw errorFromPayload(answer.error);
      this.#undo.run();
    }
    this.#release.run();
    return answer;
  }
}

function attempt({ id, operation, args }: OperationRequest, handlers: Handlers): OperationAnswer {
  try {
    const handler = handlers[operation];
    if (!handler) throw new FrameholdError('internal', `The catalog has no operation ${operation}.`);
    return { id, value: handler(...args) };
  } catch (error) {
    return { id, error: errorToPayload(asFull(error)) };
  }
}

/** Nothing else in an answer is large. */
function schemaBytesOf(answer: OperationAnswer): number {
  const schemas = 'value' in answer ? (answer.value as Partial<TupleVersions> | null)?.schemas : undefined;
  return (schemas ?? []).reduce((sum, { message, columns }) => sum + message.byteLength + columns.length, 0);
}

function isFull(thrown: unknown): boolean {
  const error = asFull(thrown);
  return error instanceof FrameholdError && error.kind === 'disk_full';
}

function asFull(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || thrown.errcode !== sqliteFull) return thrown;
  return new FrameholdError('disk_full', 'There is no room left on the disk for the catalog.', {
    cause: thrown,
    hint: 'Drop frames or free disk space, then retry.',
  });
}
