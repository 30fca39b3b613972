import { FrameholdError } from '../../model/errors.ts';
import type { Command, CopyOptions, InnerStatement } from './command.ts';
import type { Words } from './words.ts';

type Given = { -readonly [Name in keyof CopyOptions]?: CopyOptions[Name] };

/** `COPY (query) TO STDOUT …` and `COPY table [(columns)] TO STDOUT …`. */
export function readCopy(words: Words): Command {
  words.advance();
  // The oldest form has it first.
  const given: Given = words.accept('BINARY') ? { format: 'binary' } : {};
  const inner = readSource(words);
  if (words.accept('FROM')) return { kind: 'change', tag: 'COPY FROM', action: 'sql.insert' };
  if (!words.accept('TO')) throw words.unexpected();
  if (!words.accept('STDOUT'))
    throw new FrameholdError(
      'unimplemented',
      'Rows can be copied to the client only, not to a file or a program of the server.',
      {
        hint: 'Write COPY … TO STDOUT; psql writes a file of the client with \\copy.',
      },
    );
  words.accept('WITH');
  if (words.symbol('(')) readList(words, given);
  else readOldOptions(words, given);
  words.end();
  return { kind: 'copy', inner, options: complete(given) };
}

function readSource(words: Words): InnerStatement {
  if (words.symbol('(')) {
    const { start, end } = words.inParentheses();
    return { text: words.text.slice(start, end), start };
  }
  const { at } = words;
  words.identifier();
  while (words.symbol('.')) words.identifier();
  const table = words.text.slice(at, words.at).trim();
  if (!words.symbol('(')) return { text: `SELECT * FROM ${table}`, start: at };
  const { start, end } = words.inParentheses();
  return { text: `SELECT ${words.text.slice(start, end)} FROM ${table}`, start };
}

/** `(FORMAT csv, HEADER, DELIMITER ';')` */
function readList(words: Words, given: Given): void {
  do {
    const name = words.identifier().toUpperCase();
    if (name === 'FORMAT') given.format = formatOf(words);
    else if (name === 'HEADER') given.header = readFlag(words);
    else if (name === 'FORCE_QUOTE') given.forceQuote = readColumns(words);
    else if (name === 'ENCODING') checkEncoding(words);
    else readText(words, name, given);
  } while (words.symbol(','));
  if (!words.symbol(')')) throw words.unexpected();
}

/** `CSV HEADER DELIMITER AS ';' FORCE QUOTE *` */
function readOldOptions(words: Words, given: Given): void {
  while (words.next !== null) {
    const name = words.identifier().toUpperCase();
    if (name === 'BINARY') given.format = 'binary';
    else if (name === 'CSV') given.format = 'csv';
    else if (name === 'HEADER') given.header = true;
    else if (name === 'ENCODING') checkEncoding(words);
    else if (name === 'FORCE' && words.accept('QUOTE')) given.forceQuote = readColumns(words);
    else {
      words.accept('AS');
      readText(words, name, given);
    }
  }
}

const texts: Readonly<Record<string, 'delimiter' | 'nullText' | 'quote' | 'escape'>> = {
  DELIMITER: 'delimiter',
  NULL: 'nullText',
  QUOTE: 'quote',
  ESCAPE: 'escape',
};

function readText(words: Words, name: string, given: Given): void {
  const option = texts[name];
  if (option === undefined) throw words.unexpected();
  const value = words.string();
  if (value === null) throw words.unexpected();
  given[option] = value;
}

function formatOf(words: Words): CopyOptions['format'] {
  const written = (words.string() ?? words.identifier()).toLowerCase();
  if (written === 'text' || written === 'csv' || written === 'binary') return written;
  throw invalid(`COPY has no format ${JSON.stringify(written)}: there are text, csv and binary.`);
}

function readFlag(words: Words): boolean {
  const { next } = words;
  if (next === null || (next.kind === 'symbol' && words.text[next.start] !== '-')) return true;
  const written = (words.string() ?? words.any() ?? '').toLowerCase();
  if (['true', 'on', '1'].includes(written)) return true;
  if (['false', 'off', '0'].includes(written)) return false;
  throw invalid(`HEADER is true or false, not ${JSON.stringify(written)}.`);
}

function readColumns(words: Words): readonly string[] | '*' {
  if (words.symbol('*')) return '*';
  const isInParentheses = words.symbol('(');
  const columns = [words.identifier()];
  while (words.symbol(',')) columns.push(words.identifier());
  if (isInParentheses && !words.symbol(')')) throw words.unexpected();
  return columns;
}

function checkEncoding(words: Words): void {
  const encoding = (words.string() ?? words.identifier()).toUpperCase().replaceAll('-', '');
  if (encoding !== 'UTF8') throw invalid('Rows are copied in UTF-8 only.');
}

/** With the defaults of the format, and checked as PostgreSQL does. */
function complete(given: Given): CopyOptions {
  const format = given.format ?? 'text';
  const isCsv = format === 'csv';
  const quote = given.quote ?? '"';
  const options = {
    format,
    header: given.header ?? false,
    delimiter: given.delimiter ?? (isCsv ? ',' : '\t'),
    nullText: given.nullText ?? (isCsv ? '' : '\\N'),
    quote,
    escape: given.escape ?? quote,
    ...(given.forceQuote === undefined ? {} : { forceQuote: given.forceQuote }),
  };
  if (format === 'binary' && Object.keys(given).length > 1)
    throw invalid('COPY in binary format has no other options.');
  for (const name of ['quote', 'escape', 'forceQuote'] as const)
    if (!isCsv && given[name] !== undefined) throw invalid(`The option ${name} of COPY is for CSV only.`);
  for (const name of ['delimiter', 'quote', 'escape'] as const)
    if (Buffer.byteLength(options[name]) !== 1 || '\r\n'.includes(options[name]))
      throw invalid(`The ${name} of COPY is one character of ASCII, and no line end.`);
  if (
    options.nullText.includes('\n') ||
    options.nullText.includes('\r') ||
    options.nullText.includes(options.delimiter)
  )
    throw invalid('The text for NULL in COPY has no line end and no delimiter.');
  if (isCsv && options.delimiter === quote) throw invalid('Delimiter and quote of COPY must differ.');
  return options;
}

function invalid(detail: string): FrameholdError {
  return new FrameholdError('sql_invalid', detail, {
    sqlState: '22023',
    hint: 'docs/reference/postgres.md lists the options of COPY.',
  });
}
