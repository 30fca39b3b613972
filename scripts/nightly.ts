/**
 * `npm run nightly [part…]`: all that is too long for `.ci/run`, or these parts and what they need, one after the other. Each part keeps its result and its log in `.nightly/`, and a
 * run goes on where the last one of the same commit stopped.
 *   --again   also parts that have a result
 *   --keep    results of other commits count, too
 *   --list    what there is, what it takes and its results; runs nothing
 *   --write   writes the results to docs/nightly.md; runs nothing
 * The exit code is 0 only if every part has passed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KeptResults } from './nightly/kept-results.ts';
import { nightlyParts, type Part } from './nightly/parts.ts';
import { hasPassed, nightlyPage, textTable } from './nightly/result-table.ts';
import { keptState, runParts } from './nightly/run-parts.ts';

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs', 'nightly.md');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    again: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

async function main(): Promise<number> {
  const parts = chosenParts(nightlyParts(root), positionals);
  const kept = new KeptResults(join(root, '.nightly'));
  const place = { kept, commit: commit(), ofAnyCommit: values.keep };
  if (values.list) {
    for (const { name, minutes, command } of parts)
      console.log(`${name.padEnd(16)} about ${`${minutes}`.padStart(3)} minutes  ${command.join(' ')}`);
    const minutes = parts.reduce((sum, part) => sum + part.minutes, 0);
    console.log(`\nabout ${(minutes / 60).toFixed(1)} hours on two quiet cores\n`);
    console.log(textTable(parts.map((part) => keptState(part, place))));
    return 0;
  }
  if (values.write) {
    const states = parts.map((part) => keptState(part, place));
    const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, ${new Date().toISOString().slice(0, 10)}`;
    writeFileSync(page, nightlyPage(states, machine, existsSync(page) ? readFileSync(page, 'utf8') : null));
    console.log(`${textTable(states)}\nwritten: ${page}`);
    return hasPassed(states) ? 0 : 1;
  }
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());
  const states = await runParts(parts, {
    ...place,
    root,
    again: values.again,
    interrupted: interrupted.signal,
    print: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
  });
  console.log(`\n${textTable(states)}`);
  return hasPassed(states) ? 0 : 1;
}

/** All if none is named. */
function chosenParts(all: readonly Part[], names: readonly string[]): Part[] {
  const unknown = names.filter((name) => !all.some((part) => part.name === name));
  if (unknown.length > 0)
    throw new Error(`no part ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`);
  return all.filter(({ name, isPreparation }) => names.length === 0 || isPreparation || names.includes(name));
}

/** Null if the working tree has changes, but for the page that this program writes. */
function commit(): string | null {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const changes = git('status', '--porcelain', '--', '.', ':!docs/nightly.md');
  return changes === '' ? git('rev-parse', 'HEAD') : null;
}

process.exitCode = await main();
