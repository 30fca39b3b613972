import {
  type ATN,
  type ATNConfigSet,
  DFA,
  type DFAState,
  LexerATNSimulator,
  ParserATNSimulator,
  PredictionContextCache,
} from 'antlr4ng';
import { SqlBaseLexer } from './gen/SqlBaseLexer.js';
import { SqlBaseParser } from './gen/SqlBaseParser.js';

/** What the lexer and the parser have learned from the texts so far, which makes the next ones quicker. It grows with every text. */
export class LearnedTables {
  readonly #lexer = exactTables(SqlBaseLexer._ATN);
  readonly #parser = exactTables(SqlBaseParser._ATN);
  readonly #lexerContexts = new PredictionContextCache();
  readonly #parserContexts = new PredictionContextCache();

  useIn(lexer: SqlBaseLexer, parser: SqlBaseParser): void {
    lexer.interpreter = new LexerATNSimulator(lexer, SqlBaseLexer._ATN, this.#lexer, this.#lexerContexts);
    parser.interpreter = new ParserATNSimulator(
      parser,
      SqlBaseParser._ATN,
      this.#parser,
      this.#parserContexts,
    );
  }

  /** How many states it has: each takes some 15 kB. */
  get states(): number {
    let states = 0;
    for (const table of this.#lexer) states += table.length;
    for (const table of this.#parser) states += table.length;
    return states;
  }
}

function exactTables(atn: ATN): DFA[] {
  return atn.decisionToState.map((start, decision) => new ExactTable(start, decision));
}

/**
 * States are the same if their configurations are equal, as in Java. The runtime's own table takes those for the same that have the
 * same hash of 32 bits: whoever finds two of them could make the parser decide about one text as it should about another.
 */
class ExactTable extends DFA {
  readonly #byHash = new Map<number, DFAState[]>();
  #count = 0;

  override get length(): number {
    return this.#count;
  }

  override getState({ configs }: DFAState): DFAState | null {
    return this.getStateForConfigs(configs);
  }

  override getStateForConfigs(configs: ATNConfigSet): DFAState | null {
    const sameHash = this.#byHash.get(configs.hashCode());
    return sameHash?.find((state) => state.configs.equals(configs)) ?? null;
  }

  override addState(state: DFAState): void {
    if (this.getState(state) !== null) return;
    const hash = state.configs.hashCode();
    const sameHash = this.#byHash.get(hash);
    if (sameHash === undefined) this.#byHash.set(hash, [state]);
    else sameHash.push(state);
    state.stateNumber = this.#count++;
  }
}
