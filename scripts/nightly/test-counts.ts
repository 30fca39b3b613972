export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The counts that a run of tests has printed; null if there are none. If known races were repeated, those of the first time. */
export function testCounts(log: string): TestCounts | null {
  const count = (word: string) => Number(new RegExp(`^ℹ ${word} (\\d+)$`, 'm').exec(log)?.[1] ?? Number.NaN);
  const passed = count('pass');
  if (Number.isNaN(passed)) return null;
  return { passed, failed: count('fail') + count('cancelled'), skipped: count('skipped') };
}
