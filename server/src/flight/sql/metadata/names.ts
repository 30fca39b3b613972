import type { NamePattern } from './name-pattern.ts';

/** Where frames are in SQL's names: `framehold.main."name"`. */
export const frameCatalog = 'framehold';
export const frameSchema = 'main';
/** The DuckDB file of `storage.duckdb_path`, if it is configured. */
export const analyticsCatalog = 'analytics';
export const tableType = 'TABLE';

/** Absent: all. Empty: those without a catalog, of which there are none. Otherwise a name, upper or lower case. */
export function catalogMatches(wanted: string | undefined, catalog: string): boolean {
  return wanted === undefined || wanted.toLowerCase() === catalog;
}

export function patternMatches(pattern: NamePattern | null, name: string): boolean {
  return pattern === null || pattern.matches(name);
}
