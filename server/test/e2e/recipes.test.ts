/** docs/guides/recipes: each program is run with its real tool, and prints what the page says. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { send } from '../support/frame-client.ts';
import { Framehold } from '../support/framehold-process.ts';
import { inLongRun } from '../support/long-run.ts';
import { pythonCommand } from '../support/python.ts';
import { repositoryRoot } from '../support/repository.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { fencedBlocks, promisePattern } from './fenced-blocks.ts';

const run = promisify(execFile);
const isLong = inLongRun(true, false);
const rscript = '/usr/bin/Rscript';
/** Longer than any tool takes to load on a busy machine. */
const timeoutMs = 300_000;

const folder = temporaryFolder('recipes');
let framehold: Framehold;

before(async () => {
  framehold = await Framehold.start();
  const trades = 'symbol,price\nA,1.5\nB,2.5\nA,2.5\n';
  await send(framehold.url, '/v1/frames/recipe_trades', trades, { type: 'text/csv', status: 201 });
});
after(async () => {
  await framehold?.remove();
  removeFolder(folder);
});

/** The program of a page, at the addresses of this server, and what it prints. */
function programOf(page: string, language: string): { readonly file: string; readonly promise: string } {
  const blocks = fencedBlocks(`docs/guides/recipes/${page}.md`);
  const index = blocks.findIndex((block) => block.language === language);
  const printed = blocks[index + 1];
  assert.equal(printed?.language, 'text', `${page}.md says what its program prints`);
  const file = join(folder, `${page}.${language}`);
  const { host } = new URL(framehold.url);
  const text = (blocks[index]?.text ?? '')
    .replaceAll('127.0.0.1:9000', host)
    .replaceAll('127.0.0.1:50052', new URL(framehold.grpcUrl).host);
  assert.ok(text.includes(host) || text.includes('127.0.0.1:'), 'the addresses are replaced');
  writeFileSync(file, text);
  return { file, promise: printed?.text ?? '' };
}

async function prints(page: string, language: string, command: string): Promise<void> {
  const { file, promise } = programOf(page, language);
  const { stdout } = await run(command, [file], { cwd: folder, timeout: timeoutMs, env: ownEnvironment() });
  assert.match(stdout.trimEnd(), promisePattern(promise));
}

/** Tools keep settings and caches at home. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: folder };
}

test('duckdb.md', () => prints('duckdb', 'python', pythonCommand));

test('r.md', { skip: !existsSync(rscript) }, () => prints('r', 'r', rscript));

test('marimo.md and dagster.md', { skip: !isLong }, async () => {
  const environment = join(folder, 'environment');
  execFileSync('python3', ['-m', 'venv', environment]);
  const list = join(repositoryRoot, 'scripts', 'recipes-parts.txt');
  const python = join(environment, 'bin', 'python');
  await run(python, ['-m', 'pip', 'install', '--quiet', '-r', list], { timeout: 2 * timeoutMs });
  for (const page of ['marimo', 'dagster']) await prints(page, 'python', python);
});

test('what no test runs says so', () => {
  const tested = ['duckdb', 'r', 'marimo', 'dagster'];
  const pages = readdirSync(join(repositoryRoot, 'docs', 'guides', 'recipes'));
  const silent = pages.filter((page) => {
    const text = readFileSync(join(repositoryRoot, 'docs', 'guides', 'recipes', page), 'utf8');
    return !/not tried/i.test(text) && !tested.includes(page.replace('.md', ''));
  });
  assert.deepEqual(silent, []);
});
