import { type Command, type SessionCall, type SessionFunction, sessionFunctions } from './command.ts';
import { Words } from './words.ts';

/** Written without parentheses. */
const bare: ReadonlySet<string> = new Set([
  'current_catalog',
  'current_role',
  'current_schema',
  'current_user',
  'session_user',
  'user',
]);
/** How many values each may have; the others have none. */
const valueCounts: Readonly<Partial<Record<SessionFunction, readonly number[]>>> = {
  current_setting: [1, 2],
  set_config: [3],
};

/** `SELECT current_setting('jit') AS cur, set_config('jit', 'off', false)`: functions of the session and nothing else, as drivers and pools send them. */
export function readSessionCalls(text: string): Command | null {
  const words = new Words(text);
  words.advance();
  const calls: SessionCall[] = [];
  do {
    const call = readCall(words);
    if (call === null) return null;
    calls.push(call);
  } while (words.symbol(','));
  return words.next === null ? { kind: 'functions', calls } : null;
}

function readCall(words: Words): SessionCall | null {
  if (words.accept('PG_CATALOG') && !words.symbol('.')) return null;
  const name = sessionFunctions.find((each) => each.toUpperCase() === words.keyword);
  if (name === undefined) return null;
  words.advance();
  const values = words.symbol('(') ? readValues(words) : bare.has(name) ? [] : null;
  if (values === null || !(valueCounts[name] ?? [0]).includes(values.length)) return null;
  if (words.accept('AS')) {
    const alias = words.nextIdentifier();
    return alias === null ? null : { name, alias, values };
  }
  return { name, alias: null, values };
}

/** Texts and truths up to the closing parenthesis. */
function readValues(words: Words): readonly string[] | null {
  const values: string[] = [];
  if (words.symbol(')')) return values;
  do {
    const value = words.string() ?? words.acceptOne('TRUE', 'FALSE')?.toLowerCase();
    if (value === undefined) return null;
    values.push(value);
  } while (words.symbol(','));
  return words.symbol(')') ? values : null;
}
