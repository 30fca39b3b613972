import { FrameholdError } from '../../frames/errors.ts';

export function noTransactions(): FrameholdError {
  return new FrameholdError('unimplemented', 'There are no transactions.', {
    hint: 'Each statement takes effect as a whole when it is done (autocommit).',
  });
}

/** A transaction of another server, or made up: none was begun here. */
export function refuseTransaction(transactionId: Uint8Array | undefined): void {
  if (transactionId !== undefined && transactionId.length > 0) throw noTransactions();
}
