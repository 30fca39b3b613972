import { FrameholdError } from '../../model/errors.ts';
import type { ResultColumn } from '../protocol/server-messages.ts';
import type { Command } from '../text/command.ts';
import { checkName } from '../text/name.ts';
import type { StatementDescription } from './statements.ts';

/** Pools of drivers keep a few hundred of them for each connection. */
const preparedMax = 1_000;
/** Texts of one session. A text alone is limited by `sql.text_bytes_max`. */
const textBytesMax = 8 * 1024 * 1024;

/** A statement that a client has parsed. */
export interface PreparedText {
  readonly name: string;
  /** As it came; places of errors are counted in it. */
  readonly whole: string;
  /** One statement of it. */
  readonly text: string;
  readonly start: number;
  readonly command: Command;
  /** OIDs that the client has stated; 0: none. */
  readonly types: readonly number[];
  readonly parameterCount: number;
  /** null: nobody has asked yet. */
  description: StatementDescription | null;
  /** The columns that the client was told, which it relies on from then on. */
  announced: readonly ResultColumn[] | null;
}

/** Of one session, by name. The one without a name is replaced by the next. */
export class PreparedTexts {
  readonly #texts = new Map<string, PreparedText>();
  #bytes = 0;

  add(prepared: PreparedText): void {
    const { name } = prepared;
    checkName(name);
    if (name !== '' && this.#texts.has(name))
      throw new FrameholdError(
        'bad_request',
        `There is a prepared statement ${JSON.stringify(name)} already.`,
        {
          sqlState: '42P05',
          hint: 'Close it first, or choose another name.',
        },
      );
    this.remove(name);
    if (this.#texts.size >= preparedMax || this.#bytes + sizeOf(prepared) > textBytesMax)
      throw new FrameholdError(
        'bad_request',
        `A session keeps at most ${preparedMax} prepared statements, of ${textBytesMax} bytes together.`,
        { sqlState: '53400', hint: 'DEALLOCATE those that are not needed.' },
      );
    this.#texts.set(name, prepared);
    this.#bytes += sizeOf(prepared);
  }

  get(name: string): PreparedText {
    const found = this.#texts.get(name);
    if (found !== undefined) return found;
    throw new FrameholdError(
      'bad_request',
      name === ''
        ? 'There is no unnamed prepared statement.'
        : `There is no prepared statement ${JSON.stringify(name)}.`,
      { sqlState: '26000', hint: 'It was closed, or belongs to another connection. Parse it again.' },
    );
  }

  remove(name: string): void {
    const found = this.#texts.get(name);
    if (found === undefined) return;
    this.#texts.delete(name);
    this.#bytes -= sizeOf(found);
  }

  clear(): void {
    this.#texts.clear();
    this.#bytes = 0;
  }
}

/** A description is about as large as its text, and as the list of the types that were stated. */
function sizeOf({ whole, types }: PreparedText): number {
  return 2 * whole.length + 16 * types.length + 1_000;
}
