/**
 * Tests of Spark that `.ci/run` runs against one local Spark Connect, within about four minutes: a file for each part of the way from a statement to
 * its rows. `npm run test:spark` runs all of them, also those with a cluster.
 */
const share: readonly string[] = [
  'e2e/spark/clients',
  'e2e/spark/into',
  'engines/spark/test/connect/connect-session',
  'engines/spark/test/allowlist/legal-statements',
  'engines/spark/test/session-settings',
  'engines/spark/test/spark-engine',
  'engines/spark/test/statement-errors',
  'engines/spark/test/tables/table-view',
];

export function isInSparkShare(file: string): boolean {
  return share.includes(nameOf(file));
}

/** Names on the list that no file has. */
export function unknownSparkNames(files: readonly string[]): string[] {
  const names = files.map(nameOf);
  return share.filter((name) => !names.includes(name));
}

function nameOf(file: string): string {
  return file.replace(/\.test\.ts$/, '');
}
