/** What is wrong with a value of a parameter, as the end of a sentence. */
export class BadValue extends Error {
  readonly sqlState: string;
  readonly hint: string;

  constructor(sqlState: string, what: string, hint: string) {
    super(what);
    this.sqlState = sqlState;
    this.hint = hint;
  }
}

/** People read it. */
const shownMax = 40;

function shownText(text: string): string {
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}

export function notText(text: string, form: string): BadValue {
  return new BadValue('22P02', `cannot be ${shownText(text)}`, `Write it as ${form}.`);
}

export function notTime(text: string, form: string): BadValue {
  return new BadValue('22007', `cannot be ${shownText(text)}`, `Write it as ${form}.`);
}

export function outOfRange(sqlState: '22003' | '22008', what: string): BadValue {
  return new BadValue(
    sqlState,
    what,
    'Send it as text, and cast it in the statement to a type that holds it.',
  );
}

export function notBinary(what: string): BadValue {
  return new BadValue('22P03', what, 'Send the binary form that PostgreSQL documents for the type, or text.');
}
