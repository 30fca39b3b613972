/** `@framehold/client` as `npm pack` makes it, installed into an empty folder and used from Node, from TypeScript and from a page. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { ConsoleBrowser } from '../../server/test/support/console-browser.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { patienceMs } from '../../server/test/support/patience.ts';
import { runPython } from '../../server/test/support/python.ts';
import { repositoryRoot } from '../../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { documentedProgram, promisePattern } from '../fenced-blocks.ts';

const run = promisify(execFile);
const folder = temporaryFolder('client');
const packages = join(folder, 'node_modules');
let pages: Server;
let framehold: Framehold;
let token: string;

before(async () => {
  await install();
  pages = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '', 'http://pages').pathname);
    response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.end(path === '/' ? page : readFileSync(join(folder, path)));
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  framehold = await Framehold.start({ env: { FRAMEHOLD_HTTP_CORS_ORIGINS: origin() } });
  token = newToken(framehold.dataDirectory, 'acme', 'write');
});
after(async () => {
  await framehold.remove();
  pages.close();
  removeFolder(folder);
});

/** Everything that a page needs is named here, by where it was installed. */
const page = `<!doctype html><title>page</title><script type="importmap">{"imports": {
  "@framehold/client": "/node_modules/@framehold/client/dist/index.js",
  "@uwdata/flechette": "/node_modules/@uwdata/flechette/src/index.js"
}}</script>`;

function origin(): string {
  return `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
}

async function install(): Promise<void> {
  const client = join(repositoryRoot, 'client');
  // Building anew would take away what other tests use.
  if (process.env.TEST_BUILT !== 'true' || !existsSync(join(client, 'dist')))
    await run(process.execPath, [join(repositoryRoot, 'scripts', 'build-client.ts')]);
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: client });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  const quietly = ['--silent', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...quietly, `./${tarball}`], { cwd: folder });
}

test('it brings Flechette and nothing else', () => {
  assert.deepEqual(
    readdirSync(packages)
      .filter((name) => !name.startsWith('.'))
      .flatMap((scope) => readdirSync(join(packages, scope)).map((name) => `${scope}/${name}`)),
    ['@framehold/client', '@uwdata/flechette'],
  );
  const installed = join(packages, '@framehold', 'client');
  for (const file of ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts'])
    assert.ok(existsSync(join(installed, file)), file);
  assert.ok(!existsSync(join(installed, 'src')) && !existsSync(join(installed, 'test')));
});

test('a program of Node uses it', async () => {
  writeFileSync(
    join(folder, 'program.js'),
    `import { Framehold } from '@framehold/client';
     const fh = new Framehold({ url: process.argv[2], token: process.argv[3] });
     await fh.frames.put('from_node', 'n,s\\n9007199254740993,a\\n', { format: 'csv' });
     const rows = await fh.sql('select n + 1 as n, s from from_node');
     for await (const batch of rows) console.log(batch.text(0, 0), batch.text(0, 1));`,
  );
  const { stdout } = await run(process.execPath, ['program.js', framehold.url, token], { cwd: folder });
  assert.equal(stdout, '9007199254740994 a\n');
});

for (const document of ['client/README.md', 'docs/guides/typescript.md'])
  test(`${document}: its program prints what it says`, async () => {
    const { text, promise } = documentedProgram(document);
    assert.ok(promise !== '');
    const address = "{ url: 'http://127.0.0.1:9000' }";
    assert.ok(text.includes(address));
    const here = JSON.stringify({ url: framehold.url, token });
    writeFileSync(join(folder, 'documented.js'), text.replace(address, here));
    const { stdout } = await run(process.execPath, ['documented.js'], { cwd: folder, timeout: patienceMs });
    assert.match(stdout.trimEnd(), promisePattern(promise));
  });

test('its types are complete, with the types of a browser and without', async () => {
  writeFileSync(
    join(folder, 'program.ts'),
    `import { Framehold, FrameholdError, type Manifest, type Table } from '@framehold/client';
     const fh = new Framehold({ url: 'http://127.0.0.1:9000', token: () => undefined });
     export async function first(name: string): Promise<string | null> {
       const manifest: Manifest = await fh.frames.get(name);
       const rows = await fh.rows(manifest.handle, { limit: 1 });
       for await (const batch of rows) return batch.text(0, 0);
       throw new FrameholdError({ code: 'none', status: 0, title: '', detail: '' });
     }
     /** What other programs take as a table of Flechette. */
     export async function whole(name: string): Promise<Table> {
       const table = await (await fh.rows(name)).table();
       const columns: readonly string[] = table.schema.fields.map((field) => field.name);
       return table.select(columns as string[]);
     }
     // @ts-expect-error: a handle is a text.
     void fh.rows(1);`,
  );
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const strictly = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--module',
    'nodenext',
    '--target',
    'es2024',
  ];
  const nodeTypes = ['--types', 'node', '--typeRoots', join(repositoryRoot, 'node_modules', '@types')];
  for (const types of [
    ['--lib', 'es2024,dom', '--types', ''],
    ['--lib', 'es2024', ...nodeTypes],
  ]) {
    const args = [tsc, ...strictly, ...types, 'program.ts'];
    const { stdout } = await run(process.execPath, args, { cwd: folder }).catch(
      (failed) => failed as { stdout: string },
    );
    // Also those in libraries: nothing is skipped.
    assert.deepEqual(stdout.split('\n').slice(0, -1), [], types.join(' '));
  }
});

/** What a page does with the client; the test sends its text there. */
async function useInPage([url, token, specifier]: readonly [string, string, string]) {
  const { Framehold, FrameholdError } = (await import(
    specifier
  )) as typeof import('../../client/src/index.ts');
  const fh = new Framehold({ url, token });
  const started = Promise.withResolvers<void>();
  const created = (async () => {
    for await (const event of fh.events()) {
      if (event.kind === 'hello') started.resolve();
      if (event.kind === 'frame.created') return event.name;
    }
    return null;
  })();
  await started.promise;
  const progress: (readonly [number, number | undefined])[] = [];
  const file = new File([`n,s\n${'9007199254740993,"a, b"\n'.repeat(100_000)}`], 'page.csv');
  const manifest = await fh.frames.put('from_page', file, {
    onProgress: (sent, total) => void progress.push([sent, total]),
  });
  const controller = new AbortController();
  const aborted = fh.frames.put('aborted', new Blob(['n\n', '1\n'.repeat(20_000_000)]), {
    format: 'csv',
    signal: controller.signal,
    onProgress: () => controller.abort(new Error('enough')),
  });
  const streamed = await fh.frames.put('streamed', new Blob(['n\n1\n2\n']).stream(), { format: 'csv' });
  const texts: Record<string, (string | null)[]> = {};
  for (const name of ['from_page', 'zstd', 'lz4']) {
    const rows = await fh.rows(name);
    const found: (string | null)[] = [];
    for await (const batch of rows)
      found.push(
        `${batch.rowCount}`,
        ...rows.columns.map((_, column) => batch.text(batch.rowCount - 1, column)),
      );
    texts[name] = found;
  }
  const wrong = await fh.sql('selec 1').catch((error: unknown) => error);
  return {
    size: file.size,
    progress,
    rows: manifest.rows,
    streamedRows: streamed.rows,
    aborted: await aborted.then(
      () => 'stored',
      (error: Error) => error.message,
    ),
    abortedCode: await fh.frames
      .get('aborted')
      .catch((error: unknown) => error instanceof FrameholdError && error.code),
    created: await created,
    texts,
    rowsHandle: (await fh.rows('from_page', { limit: 1 })).handle,
    wrong: wrong instanceof FrameholdError ? [wrong.code, wrong.status] : String(wrong),
  };
}

test('a page of an allowed origin uses it', async () => {
  const compressed = join(folder, 'compressed');
  await runPython(['-c', writeCompressed], compressed);
  const { Framehold: Client } = await import('../../client/src/index.ts');
  const client = new Client({ url: framehold.url, token });
  for (const codec of ['zstd', 'lz4'])
    await client.frames.put(codec, readFileSync(`${compressed}.${codec}`), { format: 'arrow' });

  await using browser = await ConsoleBrowser.start();
  await using visitor = await browser.visitor();
  const tab = await visitor.open(origin());
  const found = await tab.evaluate(useInPage, [framehold.url, token, '@framehold/client'] as const);
  assert.equal(found.rows, 100_000);
  assert.deepEqual(found.progress.at(-1), [found.size, found.size]);
  assert.equal(found.streamedRows, 2);
  assert.deepEqual([found.aborted, found.abortedCode], ['enough', 'frame_not_found']);
  assert.equal(found.created, 'from_page');
  assert.deepEqual(found.texts.from_page?.slice(-2), ['9007199254740993', 'a, b']);
  for (const codec of ['zstd', 'lz4'])
    assert.deepEqual(found.texts[codec], [
      '50000',
      '9007199254790992',
      '2024-02-29T00:00:00.000049999',
      'text 49999',
      null,
    ]);
  assert.equal(found.rowsHandle, 'from_page@1');
  assert.deepEqual(found.wrong, ['sql_invalid', 400]);
});

const writeCompressed = `
import json, sys
import numpy as np
import pyarrow as pa
path = json.load(sys.stdin)
rows = 50000
day = np.datetime64('2024-02-29', 'ns').astype(np.int64)
table = pa.table({
    'n': pa.array(np.arange(rows) + 2**53 + 1),
    't': pa.array(day + np.arange(rows)).cast(pa.timestamp('ns')),
    's': pa.array([f'text {i}' for i in range(rows)]),
    'd': pa.array([None if i == rows - 1 else f'{i % 10}' for i in range(rows)]).dictionary_encode(),
})
for codec in ['zstd', 'lz4']:
    with pa.ipc.new_stream(f'{path}.{codec}', table.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(table)
print('null')
`;
