import { LruCache } from '../../../base/lru-cache.ts';
import { type ParsedStatement, parseStatement, type Serialize } from './parse-statement.ts';

/** Some hundreds of statements, as a dashboard sends them again and again. */
const bytesMax = 2 * 1024 ** 2;
const textBytesMax = 32 * 1024;

/** The statements of one tenant that an instance has parsed before: what a text says depends on nothing else. */
export class ParsedStatements {
  readonly #serialize: Serialize;
  readonly #kept = new LruCache<ParsedStatement>({ bytesMax, valueBytesMax: textBytesMax });

  constructor(serialize: Serialize) {
    this.#serialize = serialize;
  }

  /** As `parseStatement`. What is refused is not kept. */
  async parse(sql: string): Promise<ParsedStatement> {
    const known = this.#kept.get(sql);
    if (known !== undefined) return known;
    const parsed = await parseStatement(this.#serialize, sql);
    // The text that is run, and its places.
    this.#kept.set(sql, parsed, 4 * sql.length);
    return parsed;
  }
}
