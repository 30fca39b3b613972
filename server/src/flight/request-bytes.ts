import { queryParameterBytesMax } from './sql/parameters.ts';

/** Descriptors, filters, actions, the schema of a FlightInfo that comes back to be cancelled. */
const ordinaryBytesMax = 4 * 1024 * 1024;

/**
 * The largest message of a request that brings no rows. A FlightInfo has its statement twice, once of it in a ticket that may write each
 * character as two, and its parameters in base64.
 */
export function requestBytesMax(statementBytesMax: number): number {
  return ordinaryBytesMax + 4 * statementBytesMax + 2 * queryParameterBytesMax;
}
