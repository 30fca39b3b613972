import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** A run that became too long says where. */
const shown = 15;

/** A reporter for `node --test`: the files that took longest, and the sum over all of them. */
export default async function* slowestFiles(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string, void, void> {
  const seconds = new Map<string, number>();
  for await (const event of events) {
    if (event.type !== 'test:summary' || event.data.file === undefined) continue;
    seconds.set(relative(process.cwd(), event.data.file), event.data.duration_ms / 1_000);
  }
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, shown);
  const sum = [...seconds.values()].reduce((total, each) => total + each, 0);
  yield `\nslowest of ${seconds.size} files, which took ${sum.toFixed()} s one by one:\n`;
  for (const [file, each] of slowest) yield `${each.toFixed().padStart(6)} s  ${file}\n`;
}
