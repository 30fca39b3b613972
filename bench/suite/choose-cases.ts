import type { BenchmarkCase, CaseFamily } from './benchmark-case.ts';

export interface ChosenFamily {
  readonly family: CaseFamily;
  readonly cases: readonly BenchmarkCase[];
}

/** The cases with these names, or that begin with them: `put` means `put-csv` and its like. All of them without a name. */
export function chooseCases(
  families: readonly CaseFamily[],
  names: readonly string[],
  isWanted: (benchmark: BenchmarkCase) => boolean = () => true,
): ChosenFamily[] {
  const known = families.flatMap(({ cases }) => cases);
  const isNamed = (name: string, given: string) => name === given || name.startsWith(`${given}-`);
  for (const given of names)
    if (!known.some(({ name }) => isNamed(name, given)))
      throw new Error(`no case ${given}; there are ${known.map(({ name }) => name).join(', ')}`);
  return families
    .map((family) => ({
      family,
      cases: family.cases.filter(
        (each) => isWanted(each) && (names.length === 0 || names.some((given) => isNamed(each.name, given))),
      ),
    }))
    .filter(({ cases }) => cases.length > 0);
}
