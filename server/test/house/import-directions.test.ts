import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '../support/repository.ts';
import { circlesIn } from './import-circles.ts';
import { importedModules, pythonFiles, resolveImport, serverSources, sourceFiles } from './source-files.ts';

/** What every room above may use. */
const bottom = ['base', 'model', 'ports', 'arrow'];
/** Implementations of the ports: they know neither the core nor each other. */
const adapter = [...bottom, 'parquet', 'workers', 'postgres'];
const listener = [...bottom, 'frames', 'sql', 'encode', 'sockets'];

/** Which rooms a room may import from. A room may always import from itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: ['base'],
  // What arrives is refused with errors of the model, and a schema becomes its record.
  arrow: ['base', 'model'],
  ports: ['base', 'model', 'arrow'],
  workers: ['base', 'model'],
  parquet: ['base', 'model', 'arrow'],
  postgres: ['base', 'model', 'ports'],
  sockets: ['base'],
  frames: bottom,
  sql: [...bottom, 'frames'],
  store: adapter,
  catalog: adapter,
  decode: adapter,
  validate: adapter,
  transcode: adapter,
  encode: adapter,
  engine: adapter,
  // A workspace of its own. Only compose imports it (how-to-add.test.ts).
  'engines/spark': [...bottom, 'parquet', 'workers'],
  upstream: adapter,
  auth: adapter,
  cluster: adapter,
  telemetry: adapter,
  http: listener,
  flight: listener,
  pgwire: listener,
  management: listener,
  config: ['base', 'model'],
  'command-line': ['base', 'model', 'ports', 'frames', 'config', 'telemetry', 'commands', 'compose'],
};

/** What sees every room. Commands see compose, which does not see them: that would be a circle. */
const seesEverything: readonly string[] = ['main.ts', 'commands', 'compose'];

/** Packages that only certain rooms may know, so that a part can be changed in one place. */
const packageRooms: Readonly<Record<string, readonly string[]>> = {
  fastify: ['http'],
  'find-my-way': ['http'],
  '@fastify/swagger': ['http'],
  undici: ['upstream'],
  '@grpc/grpc-js': ['flight', 'engines/spark'],
  '@bufbuild/protobuf': ['flight', 'engines/spark'],
  'node:sqlite': ['catalog', 'store', 'auth', 'commands'],
  jose: ['auth'],
  pg: ['postgres'],
  '@aws-sdk/client-s3': ['store'],
  'parquet-wasm': ['parquet'],
  '@duckdb/node-api': ['engine'],
  '@duckdb/node-bindings': ['engine'],
  antlr4ng: ['engines/spark'],
  'prom-client': ['telemetry'],
  'smol-toml': ['config'],
};

const lineCountMax = 600;
/** Of a folder, without those in its subfolders: more are several concepts. */
const folderFilesMax = 25;
const files = serverSources();

interface Import {
  readonly from: string;
  readonly room: string;
  readonly module: string;
  /** Where it leads, or null for a package. A path within server/src has only what follows it. */
  readonly target: string | null;
}

const withinServer = (path: string) => path.replace(/^server\/src\//, '');

/** The first folder of server/src; of an engine that is a workspace of its own, the workspace. */
function roomOf(inside: string): string {
  const [room = ''] = /^engines\/[^/]+(?=\/src\/)|^[^/]+/.exec(inside) ?? [];
  return room;
}

const imports: readonly Import[] = files.flatMap(({ path, text }) =>
  importedModules(text).map((module) => ({
    from: path,
    room: roomOf(withinServer(path)),
    module,
    target: module.startsWith('.') ? withinServer(resolveImport(path, module)) : null,
  })),
);

test('the parser of imports sees every form', () => {
  const text = [
    "import a from './a.ts';",
    "import { b,\n  type C } from './b.ts';",
    "import type { D } from './d.ts';",
    "export { e } from './e.ts';",
    "export * from './f.ts';",
    "import './g.ts';",
    "const h = await import('./h.ts');",
    "new Worker(new URL('./i.ts', import.meta.url));",
    "// import x from './not.ts';",
  ].join('\n');
  const seen = importedModules(text).sort();
  assert.deepEqual(
    seen,
    ['a', 'b', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => `./${name}.ts`),
  );
});

test('each room imports only from the rooms it may', () => {
  const wrong = imports.filter(({ room, target }) => {
    if (target === null) return false;
    const targetRoom = roomOf(target);
    if (targetRoom === room) return false;
    if (seesEverything.includes(room)) return false;
    return !mayImport[room]?.includes(targetRoom);
  });
  assert.deepEqual(
    wrong.map(({ from, module }) => `${from} imports ${module}`),
    [],
  );
});

test('every room is on the list', () => {
  const rooms = new Set(files.map(({ path }) => roomOf(withinServer(path))));
  const unknown = [...rooms].filter((room) => !(room in mayImport) && !seesEverything.includes(room));
  assert.deepEqual(unknown, []);
});

test('the README of a room says which rooms and packages it may import', () => {
  const rooms = [...Object.keys(mayImport), 'commands', 'compose'].filter(
    (room) => !room.startsWith('engines/'),
  );
  for (const room of rooms) {
    const readme = readFileSync(join(repositoryRoot, 'server/src', room, 'README.md'), 'utf8');
    const line = /^\*\*May import\*\*[\s\S]*?(?=\n\n)/m.exec(readme)?.[0] ?? '';
    const [roomsPart = '', packagesPart = ''] = line.split('**Packages');
    const named = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '').sort();
    const allowed = mayImport[room];
    if (allowed === undefined) assert.match(roomsPart, /every room/, room);
    else assert.deepEqual(named(roomsPart), [...allowed].sort(), room);
    const packages = Object.keys(packageRooms).filter((name) => packageRooms[name]?.includes(room));
    assert.deepEqual(named(packagesPart), packages.sort(), room);
  }
});

test('nothing is imported from outside the sources but packages', () => {
  const paths = new Set(files.map(({ path }) => withinServer(path)));
  const outside = imports.filter(
    ({ target }) => target !== null && !paths.has(target) && !/\/gen\/.*\.js$/.test(target),
  );
  assert.deepEqual(
    outside.map(({ from, module }) => `${from} imports ${module}`),
    [],
  );
});

test('a package is known only to its room', () => {
  const wrong = imports.filter(({ room, module, target }) => {
    if (target !== null) return false;
    const name = module.startsWith('@')
      ? module.split('/').slice(0, 2).join('/')
      : (module.split('/')[0] ?? '');
    const rooms = packageRooms[name];
    if (rooms) return !rooms.includes(room);
    return !module.startsWith('node:') && name !== 'flatbuffers';
  });
  assert.deepEqual(
    wrong.map(({ from, module }) => `${from} imports ${module}`),
    [],
  );
});

test('grpc-js stays beneath the Flight handlers and in the client of Spark Connect', () => {
  const folders = ['server/src/flight/grpc/', 'engines/spark/src/connect/'];
  const wrong = imports.filter(
    ({ from, module }) => module.startsWith('@grpc/') && !folders.some((folder) => from.startsWith(folder)),
  );
  assert.deepEqual(
    wrong.map(({ from }) => from),
    [],
  );
});

test('rooms do not import each other in a circle', () => {
  const edges = new Map<string, Set<string>>();
  for (const { room, target } of imports) {
    if (target === null) continue;
    const targetRoom = roomOf(target);
    if (targetRoom !== room) edges.set(room, (edges.get(room) ?? new Set()).add(targetRoom));
  }
  const circles: string[] = [];
  const visit = (room: string, path: readonly string[]): void => {
    if (path.includes(room)) {
      circles.push([...path.slice(path.indexOf(room)), room].join(' → '));
      return;
    }
    for (const next of edges.get(room) ?? []) visit(next, [...path, room]);
  };
  for (const room of edges.keys()) visit(room, []);
  assert.deepEqual(circles, []);
});

test('files do not import each other in a circle, not even types', () => {
  const edges = new Map<string, string[]>();
  for (const { from, target } of imports) {
    if (target === null) continue;
    const file = withinServer(from);
    edges.set(file, [...(edges.get(file) ?? []), target]);
  }
  assert.deepEqual(circlesIn(edges), []);
});

test('a circle of imports is found', () => {
  const edges = new Map([
    ['a.ts', ['b.ts', 'd.ts']],
    ['b.ts', ['c.ts', 'd.ts']],
    ['c.ts', ['b.ts']],
  ]);
  assert.deepEqual(circlesIn(edges), ['b.ts → c.ts → b.ts']);
});

const ownFiles = [
  'server/src',
  'server/test',
  'engines',
  'e2e',
  'cli',
  'client',
  'console',
  'scripts',
  'bench',
].flatMap(sourceFiles);

test(`no file has more than ${lineCountMax} lines`, () => {
  const long = ownFiles.filter(({ text }) => text.split('\n').length > lineCountMax + 1);
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  );
});

/** Larger since before this rule: limits with little room, until they are split by subject. */
const largeFolders: Readonly<Record<string, number>> = { 'server/test/support': 70, scripts: 30 };

test(`no folder has more than ${folderFilesMax} files of code of its own`, () => {
  const python = ['e2e', 'python', 'bench'].flatMap(pythonFiles);
  const counts = Map.groupBy([...ownFiles.map(({ path }) => path), ...python], dirname);
  assert.ok(counts.size > 100, 'the folders are read');
  const large = [...counts]
    .filter(([folder, inside]) => inside.length > (largeFolders[folder] ?? folderFilesMax))
    .map(([folder, inside]) => `${folder}: ${inside.length}`);
  assert.deepEqual(large, []);
});

test('files are named in kebab-case after one concept', () => {
  const wrong = ownFiles.filter(({ path }) => {
    const name = basename(path).replace(/((\.slow|\.cluster)?\.test|\.d|\.config)?\.tsx?$/, '');
    return !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || /\b(utils?|helpers?|manager|misc|common)\b/.test(name);
  });
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});

test('code names no path of one machine', () => {
  const wrong = ownFiles.filter(({ text }) => /['"`](\/work\/|\/home\/|\/root\/)/.test(text));
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});
