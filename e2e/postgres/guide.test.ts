/** Types what docs/guides/postgres.md says, with the clients of these tests. */
import assert from 'node:assert/strict';
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serverCommand } from '../../server/test/support/framehold-process.ts';
import { partsFolder } from '../../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { documentedCommands, firstLine } from '../fenced-blocks.ts';
import { Newcomer } from '../newcomer.ts';

const commands = documentedCommands('docs/guides/postgres.md');
const python = join(partsFolder, 'postgres-clients', 'bin', 'python');

test('postgres.md has blocks that can be typed', () => assert.ok(commands.length > 4));

describe('postgres.md', () => {
  const folder = temporaryFolder('postgres-guide');
  let newcomer: Newcomer;
  before(async () => {
    const framehold = join(folder, 'framehold');
    writeFileSync(framehold, `#!/bin/sh\nexec ${serverCommand.join(' ')} "$@"\n`);
    chmodSync(framehold, 0o755);
    symlinkSync(join(partsFolder, 'postgres', 'psql'), join(folder, 'psql'));
    newcomer = await Newcomer.arrive('postgres', folder);
  });
  after(async () => {
    await newcomer?.[Symbol.asyncDispose]();
    removeFolder(folder);
  });

  for (const command of commands)
    test(`line ${command.line}: ${firstLine(command)}`, () => newcomer.type(command, python));
});
