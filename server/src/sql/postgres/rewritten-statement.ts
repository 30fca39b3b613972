import { FrameholdError } from '../../model/errors.ts';
import { textPlace } from '../../model/text-place.ts';
import type { Statement } from '../sql.ts';
import type { RewrittenText } from './text/rewritten-text.ts';

/** A statement whose text was made out of a client's: errors point at the client's own. */
export class RewrittenStatement implements Statement {
  readonly #statement: Statement;
  readonly #written: string;
  readonly #rewritten: RewrittenText;

  constructor(statement: Statement, written: string, rewritten: RewrittenText) {
    this.#statement = statement;
    this.#written = written;
    this.#rewritten = rewritten;
  }

  describe(...args: Parameters<Statement['describe']>): ReturnType<Statement['describe']> {
    return this.#statement.describe(...args).catch((thrown: unknown) => this.#fail(thrown));
  }

  execute(...args: Parameters<Statement['execute']>): ReturnType<Statement['execute']> {
    return this.#statement.execute(...args).catch((thrown: unknown) => this.#fail(thrown));
  }

  close(): Promise<void> {
    return this.#statement.close();
  }

  #fail(thrown: unknown): never {
    if (!(thrown instanceof FrameholdError) || thrown.place === undefined) throw thrown;
    const { kind, message, hint, cause, sqlState, retryAfterSeconds, place } = thrown;
    throw new FrameholdError(kind, message, {
      ...(hint === undefined ? {} : { hint }),
      ...(sqlState === undefined ? {} : { sqlState }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      place: textPlace(this.#written, this.#rewritten.originOf(place.position)),
      cause,
    });
  }
}
