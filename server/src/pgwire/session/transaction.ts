import { ownText } from '../../base/own-text.ts';
import type { VersionPins } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { TransactionStatus } from '../protocol/server-messages.ts';
import type { Isolation, TransactionModes } from '../text/command.ts';
import { checkName } from '../text/name.ts';

/** Drivers use one or two at a time. */
const savepointsMax = 1_000;

/** What is between BEGIN and its end. Nothing is ever changed in it: it only decides which versions are read. */
export class Transaction {
  status: TransactionStatus = 'I';
  #isolation: Isolation = 'read committed';
  #savepoints: string[] = [];
  /** The versions that were read first, of a transaction that goes on to read these. */
  #pins: VersionPins | null = null;

  get isOpen(): boolean {
    return this.status !== 'I';
  }

  get isolation(): Isolation {
    return this.#isolation;
  }

  /** null: each statement reads the newest versions. */
  get pins(): VersionPins | null {
    return this.#pins;
  }

  /** Also for the statements that a client sends outside of a block, with the isolation that it has chosen for all. */
  use(isolation: Isolation): void {
    if (this.#pins !== null && this.#pins.size > 0 && isolation !== this.#isolation)
      throw new FrameholdError(
        'bad_request',
        'The isolation level must be set before the first query of the transaction.',
        {
          sqlState: '25001',
          hint: 'Say it with BEGIN.',
        },
      );
    this.#isolation = isolation;
    this.#pins = isolation.startsWith('read ') ? null : (this.#pins ?? new Map());
  }

  begin(modes: TransactionModes, isolation: Isolation): void {
    this.status = 'T';
    this.#savepoints = [];
    this.#pins = null;
    this.use(modes.isolation ?? isolation);
  }

  fail(): void {
    if (this.status === 'T') this.status = 'E';
  }

  end(): void {
    this.status = 'I';
    this.#savepoints = [];
    this.#pins = null;
  }

  savepoint(name: string): void {
    this.#need('SAVEPOINT');
    checkName(name);
    if (this.#savepoints.length >= savepointsMax)
      throw new FrameholdError('bad_request', `The transaction has ${savepointsMax} savepoints.`, {
        sqlState: '54000',
        hint: 'RELEASE those that are not needed.',
      });
    this.#savepoints.push(ownText(name));
  }

  release(name: string): void {
    this.#need('RELEASE SAVEPOINT');
    this.#savepoints.length = this.#indexOf(name);
  }

  rollbackTo(name: string): void {
    this.#need('ROLLBACK TO SAVEPOINT');
    this.#savepoints.length = this.#indexOf(name) + 1;
    this.status = 'T';
  }

  #need(command: string): void {
    if (this.isOpen) return;
    throw new FrameholdError('bad_request', `${command} is possible in a transaction block only.`, {
      sqlState: '25P01',
      hint: 'Send BEGIN first.',
    });
  }

  #indexOf(name: string): number {
    const index = this.#savepoints.lastIndexOf(name);
    if (index !== -1) return index;
    throw new FrameholdError('bad_request', `There is no savepoint ${JSON.stringify(name)}.`, {
      sqlState: '3B001',
      hint: 'It was released, or rolled back with an earlier one.',
    });
  }
}

/** Of a statement in a transaction that has failed. */
export function transactionFailed(): FrameholdError {
  return new FrameholdError(
    'bad_request',
    'The transaction has failed: commands are ignored until the end of the transaction block.',
    { sqlState: '25P02', hint: 'Send ROLLBACK.' },
  );
}
