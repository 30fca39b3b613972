import type { RowSource, Window } from './row-source.ts';

/** A piece of the table: some rows of some columns. */
export interface PageKey {
  readonly page: number;
  readonly group: number;
}

export interface PageCacheOptions {
  readonly source: Pick<RowSource, 'rowCount' | 'window'>;
  readonly groups: readonly (readonly number[])[];
  readonly pageRows: number;
  /** Requests at once. */
  readonly requestsMax?: number;
  /** Pages kept in all. */
  readonly pagesMax?: number;
  readonly onLoaded: () => void;
  readonly onFailed: (error: unknown) => void;
}

/** A browser has six connections to a server over HTTP/1.1; the others are for events and for what the reader does next. */
const requestsMaxDefault = 3;
/** 64 pages of 500 rows and 32 columns are a million cells. */
const pagesMaxDefault = 64;

/** The pages near the reader: bounded, the least recently shown removed first. Requests that nobody waits for any more are aborted. */
export class PageCache {
  readonly pageRows: number;
  readonly #options: PageCacheOptions;
  readonly #pagesMax: number;
  /** In the order of their last use. */
  readonly #pages = new Map<string, Window>();
  readonly #requests = new Map<string, AbortController>();
  readonly #failed = new Set<string>();
  #wanted: readonly PageKey[] = [];
  #isClosed = false;

  constructor(options: PageCacheOptions) {
    this.#options = options;
    this.pageRows = options.pageRows;
    this.#pagesMax = options.pagesMax ?? pagesMaxDefault;
  }

  get size(): number {
    return this.#pages.size;
  }

  get isLoading(): boolean {
    return this.#requests.size > 0;
  }

  /** The cells of a row, if they are here. */
  find(row: number, group: number): Window | undefined {
    const key = nameOf({ page: Math.floor(row / this.pageRows), group });
    const window = this.#pages.get(key);
    return window !== undefined && row < window.first + window.count ? window : undefined;
  }

  /** Says what the reader sees or will see, the most urgent first. Everything else need not arrive. */
  want(keys: readonly PageKey[]): void {
    this.#wanted = keys;
    const names = new Set(keys.map(nameOf));
    for (const [name, request] of this.#requests) {
      if (!names.has(name)) {
        request.abort();
        this.#requests.delete(name);
      }
    }
    for (const name of names) this.#touch(name);
    this.#startRequests();
  }

  /** Tries again what failed. */
  retry(): void {
    this.#failed.clear();
    this.#startRequests();
  }

  close(): void {
    this.#isClosed = true;
    for (const request of this.#requests.values()) request.abort();
    this.#requests.clear();
    this.#pages.clear();
  }

  #startRequests(): void {
    if (this.#isClosed) return;
    for (const key of this.#wanted) {
      if (this.#requests.size >= (this.#options.requestsMax ?? requestsMaxDefault)) return;
      const name = nameOf(key);
      if (this.#requests.has(name) || this.#failed.has(name) || this.#isWhole(key)) continue;
      if (this.#rowsOf(key) > 0) void this.#request(key, name);
    }
  }

  async #request(key: PageKey, name: string): Promise<void> {
    const request = new AbortController();
    this.#requests.set(name, request);
    const columns = this.#options.groups[key.group] ?? [];
    try {
      const rows = this.#rowsOf(key);
      const window = await this.#options.source.window(
        key.page * this.pageRows,
        rows,
        columns,
        request.signal,
      );
      if (request.signal.aborted) return;
      this.#requests.delete(name);
      this.#keep(name, window);
      this.#options.onLoaded();
      if (window.count < rows) {
        // Otherwise they would be asked for again and again, and the reader would wait for ever.
        this.#failed.add(name);
        this.#options.onFailed(
          new Error(
            `${rows - window.count} of the rows in view did not arrive. Try again, or reload the page.`,
          ),
        );
      }
    } catch (error) {
      if (request.signal.aborted) return;
      this.#requests.delete(name);
      this.#failed.add(name);
      this.#options.onFailed(error);
    }
    this.#startRequests();
  }

  /** While rows still arrive, the last page grows: what it has is shown until the longer one is here. */
  #isWhole(key: PageKey): boolean {
    const window = this.#pages.get(nameOf(key));
    return window !== undefined && window.count >= this.#rowsOf(key);
  }

  #rowsOf({ page }: PageKey): number {
    return Math.min(this.pageRows, this.#options.source.rowCount.peek() - page * this.pageRows);
  }

  #keep(name: string, window: Window): void {
    this.#pages.delete(name);
    this.#pages.set(name, window);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= this.#pagesMax) break;
      this.#pages.delete(oldest);
    }
  }

  #touch(name: string): void {
    const window = this.#pages.get(name);
    if (window !== undefined) this.#keep(name, window);
  }
}

function nameOf({ page, group }: PageKey): string {
  return `${page}/${group}`;
}
