import { FrameholdError } from '../../model/errors.ts';

export function noTransactions(): FrameholdError {
  return new FrameholdError('unimplemented', 'There are no transactions.', {
    hint: 'Each statement takes effect as a whole when it is done (autocommit).',
  });
}

/** A rollback that only failed would leave it open whether something was undone. */
export function nothingUndone(): FrameholdError {
  return new FrameholdError('unimplemented', 'There are no transactions: nothing is undone.', {
    hint: 'Each statement took effect as a whole when it was done (autocommit). An earlier version is brought back with POST /v1/frames/NAME/restore?version=N, a dropped frame with undrop.',
  });
}

/** A transaction of another server, or made up: none was begun here. */
export function refuseTransaction(transactionId: Uint8Array | undefined): void {
  if (transactionId !== undefined && transactionId.length > 0) throw noTransactions();
}
