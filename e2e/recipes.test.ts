import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ConsoleBrowser } from '../server/test/support/console-browser.ts';
import { installPackage } from '../server/test/support/installed-package.ts';
import { inLongRun } from '../server/test/support/long-run.ts';
import { buildPythonPackage } from '../server/test/support/python-package.ts';
import { partsFolder } from '../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../server/test/support/temporary-folder.ts';
import { documentedCommands, documentedPage, firstLine } from './fenced-blocks.ts';
import { Newcomer } from './newcomer.ts';

/** The tools are large, so only the long run brings them. */
const skip = inLongRun<false | string>(false, 'only in the long run');
const page = 'docs/guides/recipes.md';
const tools = join(partsFolder, 'recipes', 'bin');

test('recipes.md has recipes that can be typed, and a page', () => {
  assert.ok(documentedCommands(page).length > 5);
  assert.match(documentedPage(page), /duckdb/);
});

describe('recipes.md', { skip }, () => {
  const folder = temporaryFolder('recipes');
  let newcomer: Newcomer;
  before(async () => {
    const { commands } = await installPackage(folder);
    for (const name of ['python', 'marimo', 'dagster']) symlinkSync(join(tools, name), join(commands, name));
    const wheels = join(folder, 'wheels');
    mkdirSync(wheels);
    const { wheel } = await buildPythonPackage(wheels);
    // A wheel without compiled parts can be imported as it is.
    process.env.PYTHONPATH = wheel;
    newcomer = await Newcomer.arrive('recipes', commands);
  });
  after(async () => {
    await newcomer?.[Symbol.asyncDispose]();
    removeFolder(folder);
  });

  for (const command of documentedCommands(page))
    test(`line ${command.line}: ${firstLine(command)}`, () => newcomer.type(command, join(tools, 'python')));

  test('DuckDB-WASM: the page shows the largest city in a real browser', async () => {
    await using served = await newcomer.servePage(documentedPage(page), join(partsFolder, 'duckdb-wasm'));
    await using browser = await ConsoleBrowser.start();
    await using visitor = await browser.visitor();
    const opened = await visitor.open(served.url);
    await opened.waitForFunction('document.getElementById("largest").textContent !== ""');
    assert.equal(await opened.textContent('#largest'), 'Oslo');
  });
});
