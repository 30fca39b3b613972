import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderCommandLinePage } from '../../scripts/command-line-page.ts';
import {
  frameCommandIn,
  frameCommands,
  connectionFlags as serverConnectionFlags,
} from '../../server/src/command-line/frame-commands.ts';
import { helpText } from '../../server/src/command-line/help.ts';
import { commandHelp, flagText } from '../src/command-help.ts';
import { commands } from '../src/commands.ts';
import { connectionFlags } from '../src/connection/connection-flags.ts';
import { exitCodes } from '../src/exit-codes.ts';
import { flagsOf, parseCall } from '../src/parse-call.ts';
import type { UsageError } from '../src/usage-error.ts';

const command = (name: string) => {
  const found = commands.find((each) => each.name === name);
  assert.ok(found !== undefined, name);
  return found;
};
const parse = (name: string, ...argv: string[]) => parseCall(command(name), argv);
const hintOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return `${(error as UsageError).message} ${(error as UsageError).hint}`;
  }
  return '';
};

test('words and flags come in any order, with both ways to write a value', () => {
  const { words, options } = parse('put', '--ttl=1d', 'a.csv', '--append', 'trades', '-f', 'csv');
  assert.deepEqual(words, ['a.csv', 'trades']);
  assert.deepEqual([options.text('ttl'), options.has('append'), options.text('format')], ['1d', true, 'csv']);
  assert.deepEqual(parse('get', '--', '-x').words, ['-x']);
  assert.deepEqual(parse('sql', '-c', 'SELECT 1', '-p', 'a=1', '-p', 'b=2').options.all('param'), [
    'a=1',
    'b=2',
  ]);
});

test('a switch may be followed by true or false, which is then not a word', () => {
  const given = (...argv: string[]) => {
    const { words, options } = parse('put', ...argv);
    return [words, options.has('link')];
  };
  assert.deepEqual(given('a.csv', '--link', 'true'), [['a.csv'], true]);
  assert.deepEqual(given('--link', 'false', 'a.csv', 'trades'), [['a.csv', 'trades'], false]);
  assert.deepEqual(given('a.csv', '--link=false'), [['a.csv'], false]);
  assert.deepEqual(given('a.csv', 'true', '--link'), [['a.csv', 'true'], true]);
  assert.deepEqual(given('a.csv', '--link', '--', 'true'), [['a.csv', 'true'], true]);
});

test('the flags of the connection may be written before the command', () => {
  assert.deepEqual(frameCommandIn(['--url', 'http://x', 'ls', '--names']), [
    'ls',
    '--url',
    'http://x',
    '--names',
  ]);
  assert.deepEqual(frameCommandIn(['--url=http://x', '--ca', 'a.pem', 'help', 'put']), [
    'put',
    '--url=http://x',
    '--ca',
    'a.pem',
    '--help',
  ]);
  assert.deepEqual(frameCommandIn(['--profile', 'lab', 'restore', 'a@2']), [
    'restore',
    '--profile',
    'lab',
    'a@2',
  ]);
  for (const argv of [['--url', 'http://x'], ['--url'], ['--url', 'http://x', 'server'], ['--url', 'ls']])
    assert.equal(frameCommandIn(argv), null, argv.join(' '));
  assert.deepEqual(
    serverConnectionFlags,
    connectionFlags.map(({ name }) => `--${name}`),
  );
});

test('mistakes name what was probably meant', () => {
  assert.match(
    hintOf(() => parse('ls', '--frmat', 'json')),
    /no flag --frmat\. Did you mean --format\?/,
  );
  assert.match(
    hintOf(() => parse('get', 'x', '--format', 'xml')),
    /not possible\. Allowed: arrow, parquet/,
  );
  assert.match(
    hintOf(() => parse('get')),
    /needs HANDLE .*Usage: framehold get/,
  );
  assert.match(
    hintOf(() => parse('get', 'a', 'b', 'c')),
    /"c" is not expected/,
  );
  assert.match(
    hintOf(() => parse('ls', '--token', 'x')),
    /not taken as an argument.*FRAMEHOLD_TOKEN/,
  );
  assert.match(
    hintOf(() => parse('ls', '--names=yes')),
    /--names "yes" is not possible\. Write only --names, or true or false behind it/,
  );
  assert.match(
    hintOf(() => parse('ls', '--url')),
    /--url needs a value/,
  );
  assert.match(
    hintOf(() => parse('head', 'x', '-n', 'ten').options.count('rows')),
    /not a whole number/,
  );
});

test('the server knows exactly these commands, and restore means a frame only with a version', () => {
  assert.deepEqual(
    commands.map(({ name }) => name).filter((name) => name !== 'restore'),
    [...frameCommands],
  );
  assert.deepEqual(frameCommandIn(['restore', 'trades@2']), ['restore', 'trades@2']);
  for (const directory of ['backups', './trades@2', '/backups/a@2', 'trades@', 'a@x'])
    assert.equal(frameCommandIn(['restore', directory]), null, directory);
  assert.equal(frameCommandIn(['restore', 'nightly@2', '--data-dir', 'new']), null);
  assert.deepEqual(frameCommandIn(['restore', 'a@2', '--url=http://x']), [
    'restore',
    'a@2',
    '--url=http://x',
  ]);
  assert.deepEqual(frameCommandIn(['help', 'put']), ['put', '--help']);
  assert.equal(frameCommandIn(['server']), null);
});

test('help and the reference page have every command, flag and exit code', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/command-line.md'), 'utf8');
  assert.equal(page, renderCommandLinePage(), 'run node scripts/write-reference.ts');
  for (const each of commands) {
    assert.ok(helpText().includes(`  ${each.name.padEnd(10)} `), each.name);
    const help = commandHelp(each);
    for (const flag of flagsOf(each))
      if (flag.name !== 'help') assert.ok(help.includes(flagText(flag)), `${each.name} --${flag.name}`);
    for (const example of each.examples) assert.ok(page.includes(example), example);
  }
  const codes = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  assert.deepEqual(
    codes,
    [...Object.values(exitCodes), 129, 130, 143].sort((one, other) => one - other),
  );
});
