/**
 * Writes Spark's grammar with its Java fragments in TypeScript: `node scripts/port-grammar.ts <from> <to>`. The vendored files stay
 * as Spark published them, so this table is the whole difference. Every fragment must be there exactly as often as it says: a new
 * version of the grammar that has one more or one less is refused rather than ported by half.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Fragment {
  readonly java: string;
  readonly typeScript: string;
  readonly times: number;
}

const call = (name: string, times: number): Fragment => ({
  java: `{${name}()}?`,
  typeScript: `{this.${name}()}?`,
  times,
});
const action = (name: string, times: number): Fragment => ({
  java: `{${name}();}`,
  typeScript: `{this.${name}();}`,
  times,
});
const flag = (name: string, whenTrue: number, whenFalse: number): readonly Fragment[] => [
  { java: `{${name}}?`, typeScript: `{this.${name}}?`, times: whenTrue },
  { java: `{!${name}}?`, typeScript: `{!this.${name}}?`, times: whenFalse },
];

/** A Java block as a whole is replaced: its comments are in the vendored file. */
const lexerMembers = `
  public has_unclosed_bracketed_comment = false;
  public complex_type_level_counter = 0;
  private readonly tags: string[] = [];

  public isValidDecimal(): boolean {
    const next = this.inputStream.LA(1);
    const isUpperCaseLetter = next >= 65 && next <= 90;
    const isDigit = next >= 48 && next <= 57;
    return !isUpperCaseLetter && !isDigit && next !== 95;
  }

  public isHint(): boolean {
    return this.inputStream.LA(1) === 43;
  }

  public markUnclosedComment(): void {
    this.has_unclosed_bracketed_comment = true;
  }

  public incComplexTypeLevelCounter(): void {
    this.complex_type_level_counter++;
  }

  public decComplexTypeLevelCounter(): void {
    if (this.complex_type_level_counter > 0) this.complex_type_level_counter--;
  }

  public isShiftRightOperator(): boolean {
    return this.complex_type_level_counter === 0;
  }
`;

/** The values are those of a session with Spark's defaults; each session has these settings set and read back. */
const parserMembers = `
  public legacy_setops_precedence_enabled = false;
  public legacy_exponent_literal_as_decimal_enabled = false;
  public SQL_standard_keyword_behavior = false;
  public double_quoted_identifiers = false;
  public parameter_substitution_enabled = true;
  public legacy_identifier_clause_only = false;
  public single_character_pipe_operator_enabled = true;

  public isOperatorPipeStart(): boolean {
    return this.single_character_pipe_operator_enabled && pipeOperators.has(this.inputStream.LA(2));
  }
`;

const lexerFragments: readonly Fragment[] = [
  action('incComplexTypeLevelCounter', 3),
  action('decComplexTypeLevelCounter', 1),
  call('isShiftRightOperator', 2),
  call('isValidDecimal', 5),
  { java: '{tags.push(getText());}', typeScript: '{this.tags.push(this.text);}', times: 1 },
  { java: '{!isHint()}?', typeScript: '{!this.isHint()}?', times: 1 },
  action('markUnclosedComment', 1),
  {
    java: '{getText().equals(tags.peek())}? {tags.pop();}',
    typeScript: '{this.text === this.tags.at(-1)}? {this.tags.pop();}',
    times: 1,
  },
];

const parserFragments: readonly Fragment[] = [
  ...flag('legacy_setops_precedence_enabled', 1, 2),
  ...flag('SQL_standard_keyword_behavior', 2, 4),
  ...flag('legacy_identifier_clause_only', 0, 1),
  ...flag('double_quoted_identifiers', 1, 1),
  ...flag('legacy_exponent_literal_as_decimal_enabled', 1, 2),
  ...flag('parameter_substitution_enabled', 2, 0),
  call('isOperatorPipeStart', 1),
  { java: '{!isOperatorPipeStart()}?', typeScript: '{!this.isOperatorPipeStart()}?', times: 1 },
  {
    java: '{((SqlBaseLexer) getTokenStream().getTokenSource()).decComplexTypeLevelCounter();}',
    typeScript: '{(this.tokenStream.tokenSource as SqlBaseLexer).decComplexTypeLevelCounter();}',
    times: 1,
  },
];

/** The words of isOperatorPipeStart, from the Java that is replaced. */
function pipeOperators(members: string): readonly string[] {
  return [...members.matchAll(/\bla == ([A-Z]+)/g)].map(([, word]) => word ?? '');
}

interface Block {
  readonly whole: string;
  readonly body: string;
}

/** A named block, which ends at the first brace that begins a line. */
function namedBlock(text: string, name: string): Block {
  const start = text.indexOf(`@${name} {\n`);
  const end = text.indexOf('\n}\n', start);
  if (start < 0 || end < 0) throw new Error(`the grammar has no @${name}`);
  const whole = text.slice(start, end + 3);
  return { whole, body: whole.slice(whole.indexOf('{') + 1, -2) };
}

function replaceFragments(text: string, fragments: readonly Fragment[]): string {
  let ported = text;
  for (const { java, typeScript, times } of fragments) {
    const pieces = ported.split(java);
    if (pieces.length - 1 !== times)
      throw new Error(`${java} is there ${pieces.length - 1} times, not ${times}: port the grammar again`);
    ported = pieces.join(typeScript);
  }
  return ported;
}

function portLexer(text: string): string {
  const header = namedBlock(text, 'header').whole;
  const members = namedBlock(text, 'members').whole;
  return replaceFragments(
    text.replace(header, '').replace(members, () => `@members {${lexerMembers}}\n`),
    lexerFragments,
  );
}

function portParser(text: string): string {
  const { whole, body } = namedBlock(text, 'members');
  const words = pipeOperators(body);
  if (words.length !== 31)
    throw new Error(`${words.length} words begin a pipe operator: port the grammar again`);
  const set = `const pipeOperators = new Set([${words.map((word) => `SqlBaseLexer.${word}`).join(', ')}]);`;
  const header = `@header {\nimport { SqlBaseLexer } from './SqlBaseLexer.js';\n${set}\n}\n`;
  return replaceFragments(
    text.replace(whole, () => `${header}\n@members {${parserMembers}}\n`),
    parserFragments,
  );
}

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined)
  throw new Error('give the folder of the grammar and the one to write to');
mkdirSync(to, { recursive: true });
for (const [file, port] of [
  ['SqlBaseLexer.g4', portLexer],
  ['SqlBaseParser.g4', portParser],
] as const)
  writeFileSync(join(to, file), port(readFileSync(join(from, file), 'utf8')));
