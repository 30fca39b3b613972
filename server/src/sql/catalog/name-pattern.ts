import { FrameholdError } from '../../model/errors.ts';

/** A name has 128 characters, each of which may be escaped, with a % before and after. A longer pattern is compared with every name, too. */
const patternLengthMax = 1_024;

/**
 * SQL's search patterns: % matches any text, _ one character, and \ the next character itself. Names of tables do not tell upper
 * from lower case, so neither do patterns.
 */
export class NamePattern {
  /** The text that every match begins with. */
  readonly prefix: string;
  readonly #tokens: readonly (string | typeof anyText | typeof anyCharacter)[];

  constructor(pattern: string) {
    if (pattern.length > patternLengthMax)
      throw new FrameholdError(
        'bad_request',
        `The pattern has ${pattern.length} characters; at most ${patternLengthMax} are taken.`,
        { hint: 'A pattern is compared with names, which have 128 characters at most.' },
      );
    const tokens: (string | typeof anyText | typeof anyCharacter)[] = [];
    let isEscaped = false;
    for (const character of pattern) {
      if (!isEscaped && character === '\\') {
        isEscaped = true;
        continue;
      }
      if (isEscaped) tokens.push(character.toLowerCase());
      else if (character === '_') tokens.push(anyCharacter);
      else if (character !== '%') tokens.push(character.toLowerCase());
      else if (tokens.at(-1) !== anyText) tokens.push(anyText);
      isEscaped = false;
    }
    if (isEscaped) tokens.push('\\');
    const wild = tokens.findIndex((part) => typeof part !== 'string');
    this.prefix = tokens.slice(0, wild === -1 ? tokens.length : wild).join('');
    this.#tokens = tokens;
  }

  /** Steps back to the last % only, so that no pattern takes longer than its length times the name's. */
  matches(name: string): boolean {
    const characters = [...name.toLowerCase()];
    let part = 0;
    let at = 0;
    let star = -1;
    let starAt = 0;
    while (at < characters.length) {
      const wanted = this.#tokens[part];
      if (wanted === anyText) {
        star = part++;
        starAt = at;
      } else if (wanted === anyCharacter || wanted === characters[at]) {
        part++;
        at++;
      } else if (star !== -1) {
        part = star + 1;
        at = ++starAt;
      } else return false;
    }
    while (this.#tokens[part] === anyText) part++;
    return part === this.#tokens.length;
  }
}

const anyText = Symbol('%');
const anyCharacter = Symbol('_');
