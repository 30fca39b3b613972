#!/usr/bin/env node
// An older Node must get as far as this line, so nothing of ours is imported before it.
const nodeMajorMin = 24;
if (Number(process.versions.node.split('.')[0]) < nodeMajorMin) {
  process.stderr.write(
    `framehold: Node ${process.versions.node} is too old; it needs Node ${nodeMajorMin} or later.\n`,
  );
  process.exitCode = 1;
} else {
  const { run } = await import('./command-line/run.ts');
  process.exitCode = await run(process.argv.slice(2));
}

export {};
