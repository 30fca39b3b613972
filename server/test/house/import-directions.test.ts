import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { circlesIn } from './import-circles.ts';
import { importedModules, resolveImport, sourceFiles } from './source-files.ts';

/** Which rooms a room may import from; a name with a slash is one file. A room may always import from itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  base: [],
  arrow: [],
  workers: ['base', 'frames/errors'],
  parquet: ['base', 'arrow'],
  frames: ['base', 'arrow'],
  engine: ['base', 'frames', 'arrow', 'workers', 'parquet'],
  store: ['base', 'frames', 'arrow', 'workers', 'parquet'],
  catalog: ['base', 'frames', 'arrow', 'workers', 'parquet', 'postgres'],
  postgres: ['base', 'frames'],
  cluster: ['base', 'frames', 'postgres'],
  settle: ['base', 'frames', 'arrow', 'workers', 'parquet'],
  upstream: ['frames', 'arrow', 'workers', 'parquet'],
  auth: ['base', 'frames', 'arrow', 'workers', 'parquet', 'postgres'],
  backup: ['frames'],
  migrate: ['frames', 'postgres'],
  formats: ['base', 'frames', 'arrow', 'workers', 'parquet'],
  telemetry: ['base', 'frames', 'arrow', 'workers', 'parquet'],
  config: ['base', 'frames', 'arrow', 'workers', 'parquet'],
  'command-line': ['base', 'compose', 'config', 'telemetry', 'frames'],
  sockets: [],
  management: ['base', 'sockets'],
  http: ['base', 'frames', 'formats', 'arrow', 'sockets'],
  flight: ['base', 'frames', 'formats', 'arrow', 'sockets'],
};

/** What sees every room. */
const seesEverything: readonly string[] = ['main.ts', 'compose'];

/** Packages that only certain rooms may know, so that a part can be changed in one place. */
const packageRooms: Readonly<Record<string, readonly string[]>> = {
  fastify: ['http'],
  'find-my-way': ['http'],
  '@fastify/swagger': ['http'],
  undici: ['upstream'],
  '@grpc/grpc-js': ['flight', 'engine'],
  '@bufbuild/protobuf': ['flight', 'engine'],
  'node:sqlite': ['catalog', 'store', 'auth', 'backup', 'migrate'],
  jose: ['auth'],
  pg: ['postgres'],
  '@aws-sdk/client-s3': ['store'],
  'parquet-wasm': ['parquet'],
  '@duckdb/node-api': ['engine'],
  '@duckdb/node-bindings': ['engine'],
  antlr4ng: ['engine'],
  'prom-client': ['telemetry'],
  'smol-toml': ['config'],
};

const lineCountMax = 600;
const files = sourceFiles('server/src');

interface Import {
  readonly from: string;
  readonly room: string;
  readonly module: string;
  /** Where it leads within server/src, or null for a package. */
  readonly target: string | null;
}

const imports: readonly Import[] = files.flatMap(({ path, text }) => {
  const inside = path.replace(/^server\/src\//, '');
  const room = inside.includes('/') ? (inside.split('/')[0] ?? '') : inside;
  return importedModules(text).map((module) => ({
    from: path,
    room,
    module,
    target: module.startsWith('.') ? resolveImport(path, module).replace(/^server\/src\//, '') : null,
  }));
});

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
    const targetRoom = target.split('/')[0] ?? '';
    if (targetRoom === room) return false;
    if (seesEverything.includes(room)) return false;
    return !mayImport[room]?.some((may) => may === targetRoom || target === `${may}.ts`);
  });
  assert.deepEqual(
    wrong.map(({ from, module }) => `${from} imports ${module}`),
    [],
  );
});

test('every room is on the list', () => {
  const rooms = new Set(files.map(({ path }) => path.split('/')[2] ?? ''));
  const unknown = [...rooms].filter((room) => !(room in mayImport) && !seesEverything.includes(room));
  assert.deepEqual(unknown, []);
});

test('nothing is imported from outside server/src but packages', () => {
  const outside = imports.filter(({ target }) => target?.startsWith('..') || target?.startsWith('server/'));
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
  const folders = ['server/src/flight/grpc/', 'server/src/engine/spark/connect/'];
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
    // Errors are the one thing that crosses every room; they import nothing.
    if (target === null || target === 'model/errors.ts') continue;
    const targetRoom = target.split('/')[0] ?? '';
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
    const file = from.replace(/^server\/src\//, '');
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

const ownFiles = ['server/src', 'server/test', 'e2e', 'cli', 'client', 'console', 'scripts', 'bench'].flatMap(
  sourceFiles,
);

test(`no file has more than ${lineCountMax} lines`, () => {
  const long = ownFiles.filter(({ text }) => text.split('\n').length > lineCountMax + 1);
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  );
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
