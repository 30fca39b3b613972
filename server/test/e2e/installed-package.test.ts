import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runFramehold } from '../support/framehold-process.ts';
import { installPackage } from '../support/installed-package.ts';
import { pythonCommand } from '../support/python.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { documentedCommands, documentedPage, firstLine } from './fenced-blocks.ts';
import { Newcomer } from './newcomer.ts';

/**
 * Several people use the package that `npm pack` makes, each with a server of their own, and type what their guide says. A guide that starts
 * no server itself finds one on its default address.
 */
const walks: Readonly<Record<string, readonly string[]>> = {
  'a Python user': ['pandas', 'polars', 'clients'],
  'a builder of dashboards': ['dashboards'],
  'a user of SQL tools': ['jdbc'],
  'an analyst with a spreadsheet': ['csv'],
  'an operator': ['running', 'backup'],
};

const folder = temporaryFolder('package');
let commands: string;
let installed: string;

before(async () => {
  ({ commands, installed } = await installPackage(folder));
});
after(() => removeFolder(folder));

test('the installed command knows its version', async () => {
  const { output } = await runFramehold(['version'], { command: [join(commands, 'framehold')] });
  assert.match(output, /^framehold \d+\.\d+\.\d+/);
});

test('the package has its licence and its README, and no source or test', () => {
  for (const file of ['LICENSE', 'README.md', 'dist/main.js'])
    assert.ok(existsSync(join(installed, file)), file);
  assert.ok(!existsSync(join(installed, 'src')) && !existsSync(join(installed, 'test')));
});

for (const [person, guides] of Object.entries(walks))
  describe(`the walk of ${person}`, () => {
    let newcomer: Newcomer;
    before(async () => {
      newcomer = await Newcomer.arrive('walk', commands);
      if (!startsServer(guides[0] ?? ''))
        await newcomer.startServer('framehold server', 'Framehold is ready.');
    });
    after(async () => await newcomer[Symbol.asyncDispose]());

    for (const guide of guides)
      for (const command of documentedCommands(`docs/guides/${guide}.md`))
        test(`${guide}.md, line ${command.line}: ${firstLine(command)}`, () =>
          newcomer.type(command, pythonCommand));

    if (guides.includes('dashboards'))
      test('dashboards.md: its page shows the table in a real browser', async () => {
        const page = await newcomer.openPage(documentedPage('docs/guides/dashboards.md'));
        assert.match(page, /<td>region<\/td><td>units<\/td>.*<td>north<\/td><td>211<\/td>/s);
      });
  });

function startsServer(guide: string): boolean {
  return documentedCommands(`docs/guides/${guide}.md`).some(({ text }) => /^framehold server/m.test(text));
}
