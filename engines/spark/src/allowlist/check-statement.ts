import type { FrameholdError } from '../../../../server/src/model/errors.ts';
import { canonicalText } from './canonical-text.ts';
import * as tree from './gen/SqlBaseParser.js';
import { refuseOther } from './lists/refused-statements.ts';
import { castOf } from './parameter-casts.ts';
import { literalText, type ParameterValue, type ParameterValues } from './parameter-values.ts';
import { type ParsedStatement, parseStatement } from './parse.ts';
import { AllowlistFinding, invalid, refused } from './refusal.ts';
import { type Parameters, StatementCheck, type TableNames } from './statement-check.ts';
import { checkSize } from './statement-size.ts';
import { scanText } from './text-scan.ts';
import { TokenEdits } from './token-edits.ts';
import { nameText, sameName } from './tree-values.ts';

/** What is left of a statement that may run. */
export interface AllowedStatement {
  readonly kind: 'query';
  /** The only text that Spark is sent, once its parameters are filled. The n-th table is written as the view `fh_<n>`. */
  readonly text: string;
  /** Names of frames as they are written, each once. */
  readonly tables: readonly string[];
  readonly parameters: {
    readonly count: number;
    readonly names: readonly string[] | null;
    /** What each is cast to where it first stands, as it is written. */
    readonly casts: readonly (string | null)[];
  };
  /** For each token of `text`: its start there, and its start in the caller's statement, in UTF-16 code units. Flat pairs, sorted. */
  readonly places: Uint32Array;
}

export interface FilledStatement {
  readonly text: string;
  /** As in AllowedStatement, to the caller's statement. */
  readonly places: Uint32Array;
}

export interface FillRequest {
  readonly statement: AllowedStatement;
  readonly values: ParameterValues;
}

/** Of what is sent: aliases, and the values of parameters, add to what was written. */
const tokensMax = 50_000;

/** With the values of its parameters, each character of which can become six. A long text is one token, and lexing it is quick. */
const filledLengthMax = 1024 * 1024;

/** A name longer than this belongs to no frame. */
const nameLengthMax = 512;

/** Judges a statement of a caller. Throws sql_invalid and sql_refused with a place in it. */
export function checkStatement(sql: string): AllowedStatement {
  const named = new FrameNames();
  return judged(sql, () => {
    const parsed = parseStatement(scanText(sql), tokensMax);
    return inPlace(parsed, () => {
      const edits = new TokenEdits();
      const parameters = check(parsed, named, edits);
      const { text, places } = canonicalText(parsed.tokens, edits, offsets(parsed));
      checkSent(text, named.tables.length);
      const { nodes, names } = parameters;
      const casts = castsOf(parameters);
      const count = names?.length ?? nodes.length;
      return { kind: 'query', text, tables: named.tables, parameters: { count, names, casts }, places };
    });
  });
}

/** The text with values in place of its parameters, judged again as a whole: this is what Spark reads. */
export function fillStatement({ statement, values }: FillRequest): FilledStatement {
  const sent = new SentNames(statement.tables.length);
  const parsed = parseStatement(statement.text);
  return judged(statement.text, () => {
    const { nodes } = check(parsed, sent, new TokenEdits());
    const edits = new TokenEdits();
    let length = statement.text.length;
    nodes.forEach((node, index) => {
      const { start, stop } = node;
      if (start === null || stop === null) throw refused('A parameter has no place.', null);
      const value = givenValue(node, index, values);
      length += valueLength(value);
      if (length > filledLengthMax) throw tooLong();
      // A name is two tokens: the colon, and itself.
      if (stop !== start) edits.replace(stop, '');
      edits.replace(start, literalText(value));
    });
    const { text, places } = canonicalText(parsed.tokens, edits, offsets(parsed));
    if (text.length > filledLengthMax) throw tooLong();
    const left = checkSent(text, statement.tables.length);
    if (left.nodes.length > 0) throw refused('A parameter has no value.', null);
    return { text, places: through(places, statement.places) };
  });
}

function givenValue(
  node: Parameters['nodes'][number],
  index: number,
  values: ParameterValues,
): ParameterValue {
  const name = nameOf(node);
  const value = name === null ? at(values, index) : named(values, name);
  if (value === undefined)
    throw invalid(
      `The parameter ${name ?? index + 1} has no value.`,
      null,
      'Give a value for each parameter.',
    );
  return value;
}

/** Of a parameter that stands in several places: what it is cast to in the first of them. */
function castsOf({ nodes, names }: Parameters): readonly (string | null)[] {
  if (names === null) return nodes.map(castOf);
  const casts = new Map<string | null, string | null>();
  for (const node of nodes) if (!casts.has(nameOf(node))) casts.set(nameOf(node), castOf(node));
  return names.map((name) => casts.get(name) ?? null);
}

function nameOf(node: Parameters['nodes'][number]): string | null {
  return node instanceof tree.NamedParameterLiteralContext
    ? nameText(node.namedParameterMarker().simpleIdentifier().getText())
    : null;
}

function valueLength(value: ParameterValue): number {
  return value.type === 'string' || value.type === 'binary' ? value.value.length : 0;
}

function tooLong(): AllowlistFinding {
  return refused(
    `The statement is longer than ${filledLengthMax / 1024} kB with the values of its parameters.`,
    null,
    'Put long values into a frame, and join it.',
  );
}

function at(values: ParameterValues, index: number): ParameterValue | undefined {
  return Array.isArray(values) ? (values[index] as ParameterValue | undefined) : undefined;
}

function named(values: ParameterValues, name: string): ParameterValue | undefined {
  if (Array.isArray(values) || !Object.hasOwn(values, name)) return undefined;
  return (values as Readonly<Record<string, ParameterValue>>)[name];
}

/** All rules, on a parsed statement. */
function check(parsed: ParsedStatement, names: TableNames, edits: TokenEdits): Parameters {
  if (parsed.tokens.length > tokensMax)
    throw refused(
      `The statement has more than ${tokensMax} words and signs.`,
      null,
      'Put long lists into a frame.',
    );
  refuseOther(parsed.tree);
  const parameters = new StatementCheck(names, edits).check(parsed.tree);
  checkSize(parsed.tree);
  return parameters;
}

/** What is sent must itself pass, be written in the same way, and name only views of this statement. */
function checkSent(text: string, tables: number): Parameters {
  const parsed = parseStatement(text);
  const edits = new TokenEdits();
  const parameters = check(parsed, new SentNames(tables), edits);
  const again = canonicalText(parsed.tokens, edits, offsets(parsed));
  if (again.text !== text) throw refused('The statement could be read in two ways.', null);
  return parameters;
}

/** A frame of the caller gets the next view; a name in WITH gets one that nothing else has. */
class FrameNames implements TableNames {
  readonly tables: string[] = [];
  readonly #written = new Map<string, string>();
  #ctes = 0;

  table(name: string, position: number | null): string {
    if (name === '' || name.length > nameLengthMax) throw refused('No frame can have this name.', position);
    const known = this.#written.get(sameName(name));
    if (known !== undefined) return known;
    const written = `fh_${this.tables.length}`;
    this.tables.push(name);
    this.#written.set(sameName(name), written);
    return written;
  }

  cte(): string {
    return `fh_c${this.#ctes++}`;
  }
}

/** In a text that is sent, names stay as they are, and only the views of the statement and its own WITHs can be meant. */
class SentNames implements TableNames {
  readonly #tables: number;

  constructor(tables: number) {
    this.#tables = tables;
  }

  table(name: string, position: number | null): string {
    const index = /^fh_(\d{1,6})$/.exec(name)?.[1];
    if (index === undefined || Number(index) >= this.#tables || String(Number(index)) !== index)
      throw refused(`The table ${name} is no view of the statement.`, position);
    return name;
  }

  cte(name: string): string {
    if (!/^fh_c\d{1,6}$/.test(name)) throw refused(`The name ${name} in WITH is not of the allowlist.`, null);
    return name;
  }
}

function offsets({ stream }: ParsedStatement): (codePoint: number) => number {
  return (codePoint) => stream.offsetOf(codePoint);
}

/** Findings in a tree are in code points; those before it in code units. */
function inPlace<Result>({ stream }: ParsedStatement, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof AllowlistFinding) || thrown.position === null) throw thrown;
    throw thrown.at(stream.offsetOf(thrown.position));
  }
}

function judged<Result>(text: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw thrown instanceof AllowlistFinding ? (thrown.in(text) satisfies FrameholdError) : thrown;
  }
}

/** Places in a text that was made out of a text which has places itself. */
function through(places: Uint32Array, before: Uint32Array): Uint32Array {
  const origin = new Map<number, number>();
  for (let index = 0; index + 1 < before.length; index += 2)
    origin.set(before[index] ?? 0, before[index + 1] ?? 0);
  const mapped = Uint32Array.from(places);
  for (let index = 1; index < mapped.length; index += 2) {
    const place = mapped[index] ?? 0;
    mapped[index] = origin.get(place) ?? place;
  }
  return mapped;
}
