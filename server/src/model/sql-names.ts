/** Where frames are in SQL's names: `framehold.main."name"`. */
export const frameCatalog = 'framehold';
export const frameSchema = 'main';
/** The DuckDB file of `storage.duckdb_path`, if it is configured. */
const analyticsCatalog = 'analytics';

/** Those that there are, frames first. Each has the one schema `main`. */
export function catalogNames(hasAnalytics: boolean): readonly string[] {
  return hasAnalytics ? [frameCatalog, analyticsCatalog] : [frameCatalog];
}
