import type { Framehold } from '../../../client/src/index.ts';
import { namedTables } from '../../../console/src/sql/named-tables.ts';
import { quotedName } from '../../../console/src/sql/sql-names.ts';

/** Frames may come and go; asking at each Tab would be slow over a long distance. */
const freshMs = 10_000;
/** One page of names. A list that is longer helps nobody. */
const namesMax = 1_000;
/** Nobody waits longer for a completion. */
const waitMs = 2_000;

/** Behind these words a frame is named. */
const beforeTable = /\b(from|join|into|table|describe|summarize)\s+$/i;

/** What could be meant by the word before the cursor: a keyword, a frame, or a column of the frames that the statement names. */
export class SqlCompletion {
  readonly #client: Framehold;
  #keywords: Promise<readonly string[]> | null = null;
  #names: { readonly at: number; readonly names: Promise<readonly string[]> } | null = null;
  readonly #columns = new Map<string, Promise<readonly string[]>>();

  constructor(client: Framehold) {
    this.#client = client;
  }

  /** `statement` ends at the cursor. */
  async complete(statement: string): Promise<{ readonly word: string; readonly found: readonly string[] }> {
    const word = /(?:"[^"]{0,200}|[A-Za-z0-9_]{0,200})$/.exec(statement.slice(-256))?.[0] ?? '';
    const [keywords, names, columns] = await Promise.all([
      this.#allKeywords(),
      this.#allNames(),
      this.#columnsIn(statement),
    ]);
    const start = word.toLowerCase();
    const matches = (each: string) =>
      each.toLowerCase().startsWith(start) || (start !== '' && each.toLowerCase().startsWith(`"${start}`));
    const found = (list: readonly string[]) => [...new Set(list.map(quotedName).filter(matches))];
    if (beforeTable.test(statement.slice(0, statement.length - word.length).slice(-64)))
      return { word, found: found(names) };
    const known = [...found(columns), ...found(names)];
    // Without a letter, only what is particular to this statement; and a name that fits is rather meant than a keyword.
    if (word === '' || (known.length > 0 && word.length > 1)) return { word, found: known };
    const isUpper = /^[A-Z]/.test(word);
    const words = keywords.map((keyword) => (isUpper ? keyword.toUpperCase() : keyword.toLowerCase()));
    return { word, found: [...known, ...words.filter(matches)] };
  }

  #allKeywords(): Promise<readonly string[]> {
    this.#keywords ??= this.#client.keywords({ signal: AbortSignal.timeout(waitMs) }).catch(() => {
      this.#keywords = null;
      return [];
    });
    return this.#keywords;
  }

  #allNames(): Promise<readonly string[]> {
    if (this.#names === null || Date.now() - this.#names.at > freshMs) {
      const names = this.#client.frames
        .list({ limit: namesMax, signal: AbortSignal.timeout(waitMs) })
        .then(({ frames }) => frames.map(({ name }) => name))
        .catch(() => []);
      this.#names = { at: Date.now(), names };
      this.#columns.clear();
    }
    return this.#names.names;
  }

  async #columnsIn(statement: string): Promise<readonly string[]> {
    const tables = namedTables(statement).map(({ name }) => name);
    const lists = await Promise.all(tables.map((name) => this.#columnsOf(name)));
    return lists.flat();
  }

  #columnsOf(name: string): Promise<readonly string[]> {
    const columns =
      this.#columns.get(name) ??
      this.#client.frames
        .get(name, { signal: AbortSignal.timeout(waitMs) })
        .then((manifest) => manifest.columns.map((column) => column.name))
        .catch(() => []);
    this.#columns.set(name, columns);
    return columns;
  }
}
