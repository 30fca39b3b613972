import type { NamePattern } from '../../../sql/catalog/name-pattern.ts';

export const tableType = 'TABLE';

/** Absent: all. Empty: those without a catalog, of which there are none. Otherwise a name, upper or lower case. */
export function catalogMatches(wanted: string | undefined, catalog: string): boolean {
  return wanted === undefined || wanted.toLowerCase() === catalog;
}

export function patternMatches(pattern: NamePattern | null, name: string): boolean {
  return pattern === null || pattern.matches(name);
}
