import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KnownRace } from '../../../scripts/known-races.ts';
import { Child } from '../support/child-process.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

export interface SeededRun {
  readonly isGreen: boolean;
  /** All that was printed. */
  readonly text: string;
}

interface Limits {
  readonly knownRaces?: readonly KnownRace[];
  readonly fileLimitMs?: number;
  /** Null: none. */
  readonly endBy?: number | null;
  readonly timesRecord?: string;
}

const program = `
  const { everyTestPasses } = await import(${JSON.stringify(import.meta.resolve('../../../scripts/test-verdict.ts'))});
  const [wanted, knownRaces] = JSON.parse(process.argv[2]);
  const passed = await everyTestPasses({ ...wanted, endBy: wanted.endBy ?? Infinity }, knownRaces);
  process.exit(passed ? 0 : 1);`;

/** Runs the runner itself over test files with these texts, in a process of its own: node runs no test files from within one. */
export async function runSeeded(
  files: Readonly<Record<string, string>>,
  { knownRaces = [], fileLimitMs = 60_000, endBy = null, timesRecord }: Limits = {},
): Promise<SeededRun> {
  const root = temporaryFolder('seeded');
  try {
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), `import { test } from 'node:test';\n${text}\n`);
    }
    const runner = join(root, 'runner.js');
    writeFileSync(runner, program);
    const wanted = {
      root,
      files: Object.keys(files),
      filesAtOnce: 2,
      fileLimitMs,
      endBy,
      timesRecord,
      flags: [],
      environment: {},
    };
    const child = new Child({
      command: process.execPath,
      args: [runner, JSON.stringify([wanted, knownRaces])],
    });
    const exit = await child.until('the end of the run', () => child.exit);
    return { isGreen: exit.code === 0, text: child.lines.join('\n') };
  } finally {
    removeFolder(root);
  }
}
