import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sparkHome } from '../../engines/spark/test/support/spark-parts.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import { OperatorShell } from '../../server/test/support/operator-shell.ts';
import { documentedCommands, firstLine, promisePattern } from '../fenced-blocks.ts';

/** An operator types the guide: Spark Connect, Framehold, a statement, and then a master with two workers. */
const page = 'docs/guides/spark.md';
let shell: OperatorShell;

before(async () => {
  const replacements = new Map<string, string>();
  for (const port of ['15002', '9000', '50052', '7077', '8480'])
    replacements.set(port, String(await freePort()));
  shell = new OperatorShell(replacements, {
    SPARK_HOME: sparkHome,
    SPARK_LOCAL_IP: '127.0.0.1',
    SPARK_DAEMON_MEMORY: '1g',
  });
});
after(async () => {
  await shell?.close();
});

for (const command of documentedCommands(page))
  test(`line ${command.line}: ${firstLine(command)}`, async () => {
    const printed = await shell.type(command.text);
    if (command.promise !== null) assert.match(printed, promisePattern(shell.translate(command.promise)));
  });
