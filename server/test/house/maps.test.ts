/** The map of the code and the README of each room are short, and lead to what exists. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '../support/repository.ts';

const readmeLinesMax = 30;
const mapBytesMax = 14_000;

const inRepository = (path: string) => join(repositoryRoot, path);
const read = (path: string) => readFileSync(inRepository(path), 'utf8');
const foldersIn = (path: string) =>
  readdirSync(inRepository(path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${path}/${entry.name}`);

const rooms = foldersIn('server/src');
const others = [
  ...foldersIn('engines'),
  'client/src',
  'python/src',
  'cli',
  'console',
  'e2e',
  'bench',
  'scripts',
];
const folders = [...rooms, ...others];

test('ARCHITECTURE.md is short enough to be read', () => {
  const bytes = Buffer.byteLength(read('ARCHITECTURE.md'));
  assert.ok(bytes <= mapBytesMax, `${bytes} bytes`);
});

test(`every room has a README of at most ${readmeLinesMax} lines`, () => {
  assert.ok(rooms.length > 20, 'the rooms are read');
  const without = folders.filter((folder) => !existsSync(inRepository(`${folder}/README.md`)));
  assert.deepEqual(without, []);
  const long = folders.filter(
    (folder) => read(`${folder}/README.md`).trimEnd().split('\n').length > readmeLinesMax,
  );
  assert.deepEqual(long, []);
});

test('the map has a link to the README of every room', () => {
  const map = read('ARCHITECTURE.md');
  assert.deepEqual(
    folders.filter((folder) => !map.includes(`(${folder}/README.md)`)),
    [],
  );
});

/** Files and folders in a text: `serve.ts`, `docs/decisions/`. A pattern, a URL or a setting is none. */
const namedPaths = (text: string) =>
  [...text.matchAll(/`([\w@./-]+(?:\.(?:tsx?|py|sh|sql|css|json)|\/))`/g)]
    .map((match) => match[1] ?? '')
    .filter((path) => !path.startsWith('/'));

test('READMEs and the map name only files that exist', () => {
  const missing = [...folders.map((folder) => `${folder}/README.md`), 'ARCHITECTURE.md'].flatMap((page) => {
    const places = page === 'ARCHITECTURE.md' ? ['', 'server', 'server/src'] : [dirname(page), ''];
    return namedPaths(read(page))
      .filter((path) => !places.some((place) => existsSync(inRepository(join(place, path)))))
      .map((path) => `${page} names ${path}`);
  });
  assert.deepEqual(missing, []);
});

/** As GitHub names the sections of a page. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('links of READMEs and of the pages about the code lead somewhere', () => {
  const pages = [
    ...folders.map((folder) => `${folder}/README.md`),
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'docs/README.md',
    'docs/reference/limits.md',
    'docs/explanation/threads.md',
  ];
  let seen = 0;
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map((match) => match[1] ?? '')
      .filter((link) => !/^https?:/.test(link))
      .filter((link) => {
        seen++;
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : join(dirname(page), path);
        if (!existsSync(inRepository(target))) return true;
        return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
      })
      .map((link) => `${page}: ${link}`),
  );
  assert.ok(seen > 100, 'the links are read');
  assert.deepEqual(broken, []);
});
