/** `framehold watch --rows`: every row that is added once, in a pipe and on a terminal, with the place from which the next call goes on. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { send } from '../../server/test/support/frame-client.ts';
import { type CommandOptions, runCommand, runOnTerminal } from '../../server/test/support/frame-command.ts';
import { Framehold, serverCommand } from '../../server/test/support/framehold-process.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const folder = temporaryFolder('watch-rows');
let server: Framehold;

before(async () => {
  server = await Framehold.start();
  writeFileSync(join(folder, 'one.csv'), 'n,text\n1,a\n');
});
after(async () => {
  await server.remove();
  removeFolder(folder);
});

const framehold = (args: readonly string[], options: CommandOptions = {}) =>
  runCommand(args, {
    cwd: folder,
    ...options,
    env: { HOME: folder, FRAMEHOLD_URL: server.url, ...options.env },
  });

const put = (name: string, csv: string, status = 201) =>
  send(server.url, `/v1/frames/${name}`, csv, { type: 'text/csv', status });
const append = (name: string, csv: string) =>
  send(server.url, `/v1/frames/${name}/rows`, csv, { method: 'POST', type: 'text/csv', status: 200 });

test('rows that are added are written as they arrive, CSV with one header', async () => {
  await put('log', 'n,"a\nname"\n1,x\n');
  const watching = framehold(['watch', '--rows', 'log', '--since', '0', '-n', '4', '-f', 'csv']);
  await append('log', 'n,"a\nname"\n2,"y\nz"\n3,\n');
  await append('log', 'n,"a\nname"\n4,w\n');
  const { code, text, errors } = await watching;
  assert.equal(code, 0, errors);
  assert.equal(text.replaceAll('\r\n', '\n'), 'n,"a\nname"\n1,x\n2,"y\nz"\n3,\n4,w\n');
  assert.equal(errors, 'log is written up to 3; --since 3 goes on.\n');
});

test('a call goes on where another one has ended', async () => {
  await put('parts', `n\n${Array.from({ length: 50 }, (_, n) => `${n}\n`).join('')}`);
  let since = '0';
  let text = '';
  for (let calls = 0; calls < 10; calls++) {
    const part = await framehold(['watch', '--rows', 'parts', '--since', since, '-n', '7', '--timeout', '0']);
    assert.equal(part.code, 0, part.errors);
    if (part.text === '') break;
    text += part.text;
    since = /--since (\S+) goes on/.exec(part.errors)?.[1] ?? '';
  }
  assert.equal(since, '1');
  assert.equal(text, Array.from({ length: 50 }, (_, n) => `{"n":${n}}\n`).join(''));
});

test('columns are chosen, and a handle of rows is read as a version is', async () => {
  await put('chosen', 'n,text\n1,a\n');
  await append('chosen', 'n,text\n2,b\n');
  const rows = await framehold([
    ...['watch', '--rows', 'chosen', '--since', '1', '--columns', 'text', '--timeout', '0'],
  ]);
  assert.equal(rows.text, '{"text":"b"}\n');
  for (const args of [
    ['get', 'chosen@1..', '--format', 'ndjson'],
    ['get', 'chosen@1..2', '--format', 'ndjson'],
    ['head', 'chosen@1..', '-f', 'ndjson'],
    ['sql', '-c', 'select * from "chosen@1.."'],
  ])
    assert.equal((await framehold(args)).text, '{"n":2,"text":"b"}\n', args.join(' '));
});

test('a frame that is replaced ends it, with the code of a conflict and what to do', async () => {
  await put('replaced', 'n\n1\n');
  const watching = framehold(['watch', '--rows', 'replaced', '--since', '0'], {
    command: ['sh', '-c', '"$@" > replaced.out', 'sh', ...serverCommand],
  });
  const out = join(folder, 'replaced.out');
  const written = (text: string) =>
    server.until('written rows', () => (existsSync(out) && readFileSync(out, 'utf8') === text) || null);
  await written('{"n":1}\n');
  await append('replaced', 'n\n2\n');
  await written('{"n":1}\n{"n":2}\n');
  await put('replaced', 'n\n7\n', 200);
  const { code, errors } = await watching;
  assert.equal(code, 7, errors);
  await written('{"n":1}\n{"n":2}\n');
  assert.equal(
    errors,
    'replaced is written up to 2; --since 2 goes on.\n' +
      'framehold: replaced@3 does not begin with the rows of version 2: version 3 replaced them.\n' +
      '  Read everything again: replaced with --since 0\n',
  );
});

test('a frame that does not exist is awaited, and the nearest name is told', async () => {
  await put('tardy', 'n\n1\n');
  const watching = framehold(['watch', '--rows', 'tardi', '-n', '1']);
  await server.until('followed', async () => ((await streams()) > 0 ? true : null));
  await put('tardi', 'n\n5\n');
  const { code, text, errors } = await watching;
  assert.deepEqual([code, text], [0, '{"n":5}\n']);
  assert.match(errors, /^There is no frame "tardi"\. Waiting for it\. Did you mean tardy\?/);
  const never = await framehold(['watch', '--rows', 'never', '--timeout', '1']);
  assert.equal(never.code, 3, never.errors);
});

test('Ctrl-C ends it, and it says where to go on', async () => {
  await put('stopped', 'n\n1\n');
  const { code, text, errors } = await framehold(['watch', '--rows', 'stopped', '--since', '0'], {
    interruptWhen: async () => (await streams()) > 0,
  });
  assert.equal(code, 130, errors);
  // It may be interrupted before its first row.
  assert.equal(errors, text === '' ? '' : 'stopped is written up to 1; --since 1 goes on.\n');
});

test('on a terminal they are tables', async () => {
  await put('shown', 'n,text\n1,a\u001b[31m\n');
  for (let version = 0; version < 20; version++) await append('shown', `n,text\n${version},b\n`);
  const { shown, code } = await runOnTerminal(
    ['watch', '--rows', 'shown', '--since', '0', '--timeout', '0'],
    [],
    { env: { HOME: folder, FRAMEHOLD_URL: server.url } },
  );
  assert.equal(code, 0, shown);
  assert.match(shown, /n\s+text\s+─+\s+─+\s+1\s+a\\x1b\[31m\s+0\s+b\s+1\s+b/);
  assert.match(shown, /\(21 rows, up to 21\)/);
  assert.equal(shown.match(/text/g)?.length, 1);
});

async function streams(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^framehold_event_streams_open (\d+)/m.exec(text)?.[1] ?? 0);
}
