#!/usr/bin/env node
// An older Node must get as far as this line, so nothing of ours is imported before it.
const nodeMajorMin = 24;
if (Number(process.versions.node.split('.')[0]) < nodeMajorMin) {
  process.stderr.write(
    `framehold: Node ${process.versions.node} is too old; it needs Node ${nodeMajorMin} or later.\n`,
  );
  process.exitCode = 1;
} else {
  // Before anything else is loaded, which is what it makes shorter.
  const { useCompileCache } = await import('./base/compile-cache.ts');
  useCompileCache();
  const { start } = await import('./command-line/start.ts');
  try {
    process.exitCode = await start(process.argv.slice(2));
  } catch (error) {
    const { withSourceLines } = await import('./base/source-lines.ts');
    process.stderr.write(
      `${error instanceof Error ? withSourceLines(error.stack ?? error.message) : error}\n`,
    );
    process.exitCode = 1;
  }
}

export {};
