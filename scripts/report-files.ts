import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** A run that became too long says where. */
const shown = 15;

/**
 * A reporter for `node --test`: the files that took longest, and the sum over all of them. The tests that failed go into the file that
 * TEST_FAILED_LIST names, a line each: file, tab, name. One reporter, because node warns of a leak when there are three.
 */
export default async function* reportFiles(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string, void, void> {
  const seconds = new Map<string, number>();
  const failed = new Set<string>();
  for await (const event of events) {
    if (event.type !== 'test:summary' && event.type !== 'test:fail') continue;
    if (event.data.file === undefined) continue;
    const file = relative(process.cwd(), event.data.file);
    if (event.type === 'test:fail') {
      // A suite fails with its tests.
      const { failureType } = event.data.details.error as { readonly failureType?: string };
      if (failureType !== 'subtestsFailed') failed.add(`${file}\t${event.data.name}`);
    } else seconds.set(file, event.data.duration_ms / 1_000);
  }
  const list = process.env.TEST_FAILED_LIST;
  if (list !== undefined) writeFileSync(list, [...failed].map((test) => `${test}\n`).join(''));
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, shown);
  const sum = [...seconds.values()].reduce((total, each) => total + each, 0);
  yield `\nslowest of ${seconds.size} files, which took ${sum.toFixed()} s one by one:\n`;
  for (const [file, each] of slowest) yield `${each.toFixed().padStart(6)} s  ${file}\n`;
}
