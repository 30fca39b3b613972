import {
  BailErrorStrategy,
  BaseErrorListener,
  CommonTokenStream,
  DefaultErrorStrategy,
  ParseCancellationException,
  type ParserRuleContext,
  type ParseTreeListener,
  PredictionMode,
  Token,
} from 'antlr4ng';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { SqlBaseLexer } from './gen/SqlBaseLexer.js';
import {
  type CompoundOrSingleStatementContext,
  ErrorIdentContext,
  SetConfigurationContext,
  SqlBaseParser,
  UnquotedIdentifierContext,
} from './gen/SqlBaseParser.js';
import { LearnedTables } from './learned-tables.ts';
import { tooManyTokens, unclosedComment, unexpectedToken, unquotedName } from './syntax-error.ts';
import { UpperCaseStream } from './upper-case-stream.ts';

/** A statement as Spark's own parser reads it. Nodes and tokens are as the grammar has them: quoted names keep their quotes. */
export interface ParsedStatement {
  readonly tree: CompoundOrSingleStatementContext;
  /** What the tree was made of: without comments and white space, without the end. */
  readonly tokens: readonly Token[];
  /** The text, which knows where a token is in it. */
  readonly stream: UpperCaseStream;
}

/**
 * Reads a statement by the rule, in the order and with the errors that Spark 4.2 has for what it is sent: a quick attempt, and after
 * a mismatch a thorough one. Throws `sql_invalid` with a place, and `sql_refused` as soon as there are more tokens than it may have:
 * the parser asks for them one by one, so that the rest is never read. A text that nests too deeply for the stack throws a RangeError.
 */
export function parseStatement(text: string, tokensMax = Number.POSITIVE_INFINITY): ParsedStatement {
  const stream = new UpperCaseStream(text);
  const lexer = new CountingLexer(stream, tokensMax);
  const tokens = new CommonTokenStream(lexer);
  const parser = new SqlBaseParser(tokens);
  learned.useIn(lexer, parser);
  const faults = new ThrowFault(stream);
  lexer.removeErrorListeners();
  lexer.addErrorListener(faults);
  parser.removeErrorListeners();
  parser.addErrorListener(faults);
  parser.addParseListener(new NamesMustBePlain(stream));

  const tree = readTwice(parser, tokens);
  if (lexer.has_unclosed_bracketed_comment && !isSetting(tree)) {
    // The end is the last token, and what runs into it the one before.
    const comment = tokens.get(tokens.size - 2);
    throw unclosedComment(stream, comment);
  }
  return { tree, tokens: tokens.getTokens().filter(isRead), stream };
}

/** Forgets what was learned from the texts so far, if it has become much: it would grow without limit. */
export function forgetTexts(): void {
  if (learned.states > statesMax) learned = new LearnedTables();
}

/** All statements of TPC-DS and TPC-H together make 4,000 of them. */
const statesMax = 5_000;

let learned = new LearnedTables();

/**
 * As Spark does it, with the listener in both attempts: where no alternative fits, the first attempt is the last. Only a token that
 * does not match leads to the second.
 */
function readTwice(parser: SqlBaseParser, tokens: CommonTokenStream): CompoundOrSingleStatementContext {
  try {
    parser.errorHandler = new BailErrorStrategy();
    parser.interpreter.predictionMode = PredictionMode.SLL;
    return parser.compoundOrSingleStatement();
  } catch (thrown) {
    if (!(thrown instanceof ParseCancellationException)) throw thrown;
    tokens.seek(0);
    parser.reset();
    parser.errorHandler = new DefaultErrorStrategy();
    parser.interpreter.predictionMode = PredictionMode.LL;
    return parser.compoundOrSingleStatement();
  }
}

/** `SET` takes the rest of the text as it is, also what looks like a comment. */
function isSetting(tree: CompoundOrSingleStatementContext): boolean {
  return tree.singleStatement()?.setResetStatement() instanceof SetConfigurationContext;
}

function isRead(token: Token): boolean {
  return token.channel === Token.DEFAULT_CHANNEL && token.type !== Token.EOF;
}

class CountingLexer extends SqlBaseLexer {
  readonly #stream: UpperCaseStream;
  readonly #tokensMax: number;
  #tokens = 0;

  constructor(stream: UpperCaseStream, tokensMax: number) {
    super(stream);
    this.#stream = stream;
    this.#tokensMax = tokensMax;
  }

  override nextToken(): Token {
    const token = super.nextToken();
    if (isRead(token) && ++this.#tokens > this.#tokensMax)
      throw tooManyTokens(this.#stream, token, this.#tokensMax);
    return token;
  }
}

class ThrowFault extends BaseErrorListener {
  readonly #stream: UpperCaseStream;

  constructor(stream: UpperCaseStream) {
    super();
    this.#stream = stream;
  }

  override syntaxError(_recognizer: unknown, offending: Token | null): void {
    if (offending !== null) throw unexpectedToken(this.#stream, offending);
    throw new FrameholdError('sql_invalid', 'Spark SQL cannot read the statement.');
  }
}

/** The grammar takes more names than Spark does, for the sake of a better message: what it took by that is refused here. */
class NamesMustBePlain implements ParseTreeListener {
  readonly #stream: UpperCaseStream;

  constructor(stream: UpperCaseStream) {
    this.#stream = stream;
  }

  enterEveryRule(): void {}
  visitTerminal(): void {}
  visitErrorNode(): void {}

  exitEveryRule(context: ParserRuleContext): void {
    if (context instanceof ErrorIdentContext) this.#refuse(context.parent ?? context);
    else if (context instanceof UnquotedIdentifierContext && !plainName.test(context.getText()))
      this.#refuse(context);
  }

  #refuse(context: ParserRuleContext): never {
    if (context.start === null) throw new Error('a name without a token');
    throw unquotedName(this.#stream, context.getText(), context.start);
  }
}

const plainName = /^\w+$/;
