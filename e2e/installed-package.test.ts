import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runCommand } from '../server/test/support/frame-command.ts';
import { Framehold, runFramehold } from '../server/test/support/framehold-process.ts';
import { installPackage } from '../server/test/support/installed-package.ts';
import { assertTook } from '../server/test/support/machine-pace.ts';
import { pythonCommand } from '../server/test/support/python.ts';
import { repositoryRoot } from '../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../server/test/support/temporary-folder.ts';
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
  'a user of the shell': ['command-line'],
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

test('npm installs nothing beside it but DuckDB', () => {
  const names = readdirSync(join(installed, '..')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(names.sort(), ['@duckdb', 'detect-libc', 'framehold'].sort());
});

test('the licence of every bundled package is in it, and the bill of materials lists the package', () => {
  const licenses = readFileSync(join(installed, 'dist', 'licenses.txt'), 'utf8');
  const bundled = [...licenses.matchAll(/^((?:@[\w-]+\/)?[\w.-]+) (\d\S*) \(.+\)$/gm)].map(
    ([, name, version]) => `${name}@${version}`,
  );
  assert.ok(bundled.length > 80, String(bundled.length));
  const sbom = JSON.parse(readFileSync(join(repositoryRoot, 'docs', 'sbom.cdx.json'), 'utf8')) as {
    readonly components: readonly { readonly name: string; readonly version: string }[];
  };
  const listed = new Set(sbom.components.map(({ name, version }) => `${name}@${version}`));
  assert.deepEqual(
    bundled.filter((each) => !listed.has(each)),
    [],
  );
});

test('one command goes from a CSV to a link that anyone can read, and starts quickly', async () => {
  const command = [join(commands, 'framehold')] as const;
  const server = await Framehold.start({ command });
  try {
    const env = { HOME: folder, FRAMEHOLD_URL: server.url };
    writeFileSync(join(folder, 'trades.csv'), 'symbol,price\nBTC-USD,62450.5\n');
    const beganAt = performance.now();
    const { code, text, errors } = await runCommand(['put', 'trades.csv', '--link'], {
      command,
      env,
      cwd: folder,
    });
    const tookMs = performance.now() - beganAt;
    assert.equal(code, 0, errors);
    const { url } = (JSON.parse(text) as { link: { url: string } }).link;
    assert.equal(await (await fetch(`${url}&fmt=csv`)).text(), 'symbol,price\r\nBTC-USD,62450.5\r\n');
    assertTook(tookMs, 1_500, 'from a CSV to a link');
    // CPU time: wall time depends on who else uses the machine.
    for (const words of ['--version', 'ls', 'head trades']) {
      const times = Array.from({ length: 5 }, () => cpuMs(`'${command[0]}' ${words}`, env)).sort(
        (a, b) => a - b,
      );
      const median = times[2] ?? 0;
      assert.ok(median < 300, `framehold ${words} takes ${median} ms of CPU time`);
    }
  } finally {
    await server.remove();
  }
});

/** User and system time of a command, by bash. */
function cpuMs(command: string, env: Record<string, string>): number {
  const script = `TIMEFORMAT='%U %S'; time ${command} > /dev/null`;
  const { stderr } = spawnSync('bash', ['-c', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(' ').map(Number);
  return Math.round(1_000 * (user + system));
}

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
