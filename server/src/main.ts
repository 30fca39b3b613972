#!/usr/bin/env node
// An older Node must get as far as this line, so nothing of ours is imported before it.
const nodeMajorMin = 24;
if (Number(process.versions.node.split('.')[0]) < nodeMajorMin) {
  process.stderr.write(
    `framehold: Node ${process.versions.node} is too old; it needs Node ${nodeMajorMin} or later.\n`,
  );
  process.exitCode = 1;
} else {
  const { start } = await import('./command-line/start.ts');
  process.exitCode = await start(process.argv.slice(2));
}

export {};
