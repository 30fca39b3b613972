import { FrameholdError } from './errors.ts';

/** As callers name them, the default first. */
export const engineNames = ['duckdb', 'spark'] as const;

export type EngineName = (typeof engineNames)[number];

/** What statements run on if they name no engine. */
export const defaultEngine = 'duckdb' satisfies EngineName;

/** The header in which callers may name the engine: the only place if a protocol has no other, as Flight SQL. */
export const engineHeader = 'framehold-engine';

/** bad_request if there is no such engine anywhere. */
export function parseEngineName(text: string): EngineName {
  const known = engineNames.find((name) => name === text);
  if (known !== undefined) return known;
  throw new FrameholdError('bad_request', `There is no engine ${JSON.stringify(text.slice(0, 40))}.`, {
    hint: `Use one of ${engineNames.join(', ')}, or leave it out: ${defaultEngine} then runs the statement.`,
  });
}
