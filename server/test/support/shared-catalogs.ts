/** Data directories in whose place nodes with a shared catalog were started: see cluster/in-place-of-one.ts. */
export interface SharedCatalog {
  readonly url: string;
  /** From now on only callers with a credential are served, as by a server in whose data directory one was made. */
  close(): void;
}

const catalogs = new Map<string, SharedCatalog>();

export function shareCatalog(dataDirectory: string, catalog: SharedCatalog): void {
  catalogs.set(dataDirectory, catalog);
}

export function sharedCatalogOf(dataDirectory: string): SharedCatalog | undefined {
  return catalogs.get(dataDirectory);
}
