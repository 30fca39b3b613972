import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commands } from '../src/commands.ts';
import { completeWords } from '../src/completion/complete-words.ts';

const asked: (readonly [string, ReadonlyMap<string, string>])[] = [];
const sources = {
  commands,
  serverCommands: ['server', 'token'],
  frames: async (prefix: string, flags: ReadonlyMap<string, string>) => {
    asked.push([prefix, flags]);
    return ['trades', 'trades.old', 'volumes'];
  },
};
const complete = (...words: string[]) => completeWords(words, sources);

test('the first word is a command of either side', async () => {
  assert.deepEqual(await complete('se'), ['server']);
  assert.deepEqual(await complete('s'), ['show', 'sql', 'server']);
  assert.deepEqual(await complete('help', 'pu'), ['put']);
});

test('flags, their values, files and frames', async () => {
  assert.deepEqual(await complete('get', '--fo'), ['--format']);
  assert.deepEqual(await complete('get', 'trades', '--format', 'c'), ['csv']);
  assert.deepEqual(await complete('get', 'trades', '-f', 'pa'), ['parquet']);
  // As bash splits `--format=c`, and `--format=`.
  assert.deepEqual(await complete('get', 'trades', '--format', '=', 'c'), ['csv']);
  assert.ok((await complete('get', 'trades', '--format', '=')).includes('csv'));
  assert.deepEqual(await complete('put', ''), [':files']);
  assert.deepEqual(await complete('get', 'tr'), ['trades', 'trades.old']);
  assert.deepEqual(await complete('get', 'trades', ''), [':files']);
  assert.deepEqual(await complete('get', 'trades', '@', '1', ''), [':files']);
  assert.deepEqual(await complete('ls', '--ca', ''), [':files']);
  assert.deepEqual(await complete('completion', 'z'), ['zsh']);
  assert.deepEqual(await complete('undrop', 'x', ''), []);
});

test('frames come from the server that the line names', async () => {
  asked.length = 0;
  await complete('head', '--url', 'http://x:1', 'vo');
  assert.deepEqual(asked, [['vo', new Map([['url', 'http://x:1']])]]);
});
