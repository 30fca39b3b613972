import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../../server/test/support/free-port.ts';
import { OperatorShell } from '../../server/test/support/operator-shell.ts';
import { PostgresServer } from '../../server/test/support/postgres-server.ts';
import { type S3Server, startS3 } from '../../server/test/support/s3-server.ts';
import { documentedCommands, firstLine, promisePattern } from '../fenced-blocks.ts';

/** An operator types the guide and then the runbook, on nodes over a real PostgreSQL and a real S3. */
let postgres: PostgresServer;
let s3: S3Server;
let shell: OperatorShell;

before(async () => {
  postgres = await PostgresServer.start();
  s3 = await startS3();
  const replacements = new Map([
    ['postgres://framehold@127.0.0.1:5432/framehold', await postgres.newDatabase()],
    // Without the bucket that the guide creates.
    ['http://127.0.0.1:7070', s3.endpoint],
  ]);
  for (const port of ['9001', '9002', '50061', '50062']) replacements.set(port, String(await freePort()));
  shell = new OperatorShell(replacements, s3.env);
});
after(async () => {
  await shell?.close();
  await s3?.stop();
  await postgres?.stop();
});

for (const page of ['docs/guides/many-nodes.md', 'docs/guides/runbook.md'])
  describe(page, () => {
    for (const command of documentedCommands(page))
      test(`line ${command.line}: ${firstLine(command)}`, async () => {
        assert.equal(command.language, 'sh');
        const printed = await shell.type(command.text);
        if (command.promise !== null) assert.match(printed, promisePattern(shell.translate(command.promise)));
      });
  });
