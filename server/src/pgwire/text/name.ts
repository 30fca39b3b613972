import { FrameholdError } from '../../model/errors.ts';

/** Drivers make names of 10 to 70 characters; PostgreSQL itself keeps 63 of them. */
const nameCharactersMax = 256;

/** Of a statement, a cursor or a savepoint, which a session keeps. */
export function checkName(name: string): void {
  if (name.length <= nameCharactersMax) return;
  throw new FrameholdError(
    'bad_request',
    `The name ${JSON.stringify(`${name.slice(0, 60)}…`)} has ${name.length} characters; at most ${nameCharactersMax} are allowed.`,
    { sqlState: '42622', hint: 'Choose a shorter name.' },
  );
}
