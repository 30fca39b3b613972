import { badArgument } from './errors.ts';

/** Names of columns as the server takes them. With a comma in one of them, it would read other columns than were meant. */
export function columnsParameter(columns: readonly string[] | undefined): string | undefined {
  const unclear = columns?.find((name) => name.includes(','));
  if (unclear !== undefined)
    throw badArgument(
      `The column ${JSON.stringify(unclear)} cannot be chosen: commas separate names.`,
      'Read all columns, or choose it in SQL.',
    );
  return columns?.join(',');
}
