import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One of the things that `npm run nightly` runs, each on its own and one after the other. */
export interface Part {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** What it takes on two quiet cores, about. */
  readonly minutes: number;
  /** After so much time of its own it hangs. */
  readonly limitMs: number;
  /** What the others use. It is done in each run that has something left to do, because the working tree may have been another one since. */
  readonly isPreparation: boolean;
}

/** What each fuzzer of package.json takes, in minutes. */
const fuzzMinutes: Readonly<Record<string, number>> = {
  'fuzz:arrow': 9,
  'fuzz:arrow-file': 6,
  'fuzz:convert': 12,
  'fuzz:csv': 12,
  'fuzz:flight': 5,
  'fuzz:grpc': 4,
  'fuzz:http': 5,
  'fuzz:json': 14,
  'fuzz:ndjson': 12,
  'fuzz:parquet': 36,
  'fuzz:pgwire': 30,
};

/** In the order in which they run: what finds most for its time comes first. */
export function nightlyParts(root: string): Part[] {
  const allNodes = { TEST_CLUSTER: 'all' };
  return [
    {
      ...part('setup', 5, script('setup'), { TEST_LONG: 'true', TEST_SPARK: 'whole' }),
      isPreparation: true,
    },
    { ...part('build', 1, script('build')), isPreparation: true },
    part('long', 60, script('test:long')),
    part('faults', 60, [...runTests, 'e2e', 'cluster/fault-campaign'], {
      FAULT_ROUNDS: '500',
      TEST_FILE_LIMIT_MS: String(3 * 60 * 60_000),
    }),
    part('differential', 100, [...runTests, 'e2e', 'differential/'], {
      DIFFERENTIAL_SEED: '1000',
      DIFFERENTIAL_TABLES: '1500',
      DIFFERENTIAL_STATEMENTS: '20000',
      DIFFERENTIAL_TEXTS: '3000',
      DIFFERENTIAL_PARQUET: '1500',
      TEST_FILE_LIMIT_MS: String(3 * 60 * 60_000),
    }),
    part('nodes-versitygw', 10, [...runTests, 'cluster'], allNodes),
    part('nodes-minio', 10, [...runTests, 'cluster'], { ...allNodes, TEST_S3: 'minio' }),
    part('spark', 40, script('test:spark'), { TEST_SPARK: 'whole' }),
    part('superset', 10, script('test:superset')),
    part('bench', 15, script('bench')),
    ...fuzzers(root).map((name) => part(name.replace(':', '-'), minutesOf(name), script(name))),
  ];
}

/** The fuzzers of package.json, quickest first. */
function fuzzers(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  return Object.keys(scripts)
    .filter((name) => name.startsWith('fuzz:'))
    .sort((a, b) => minutesOf(a) - minutesOf(b));
}

function minutesOf(fuzzer: string): number {
  const minutes = fuzzMinutes[fuzzer];
  if (minutes === undefined) throw new Error(`nightly/parts.ts does not say what ${fuzzer} takes`);
  return minutes;
}

const runTests = ['node', 'scripts/run-tests.ts'] as const;

function script(name: string): readonly [string, ...string[]] {
  return ['npm', 'run', '--silent', name];
}

function part(
  name: string,
  minutes: number,
  command: Part['command'],
  environment: Part['environment'] = {},
): Part {
  return {
    name,
    command,
    // What was built is what is tested.
    environment: { TEST_BUILT: 'true', ...environment },
    minutes,
    // Other work on the machine may make it several times slower.
    limitMs: (10 + 5 * minutes) * 60_000,
    isPreparation: false,
  };
}
