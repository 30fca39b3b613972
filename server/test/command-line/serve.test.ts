import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { remindOfOpenServer } from '../../src/command-line/open-reminder.ts';
import { type ServeOptions, serve } from '../../src/command-line/serve.ts';
import type { RunningServer } from '../../src/compose/server.ts';
import { loadSettings } from '../../src/config/load.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import { Log } from '../../src/telemetry/log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('serve');
const { settings } = loadSettings({
  flags: new Map(),
  environment: { HOME: folder },
  directory: folder,
});

/** A server that only says where it is; what is tested is everything around it. */
function running(overrides: Partial<RunningServer> = {}): RunningServer {
  return {
    log: new Log({ level: 'silent', format: 'json' }),
    http: { address: '0.0.0.0', family: 'IPv4', port: 9000 },
    grpc: '[::]:50052',
    isTls: false,
    isOpen: true,
    postgres: null,
    management: null,
    firstToken: null,
    reload: () => {},
    close: async () => {},
    ...overrides,
  };
}

async function run(
  overrides: Partial<ServeOptions>,
): Promise<{ code: number; told: string; printed: string }> {
  let told = '';
  let printed = '';
  const code = await serve({
    settings,
    readyFile: undefined,
    compose: async () => running(),
    onRunning: () => {},
    stop: Promise.resolve('SIGTERM'),
    print: (text) => {
      printed += text;
    },
    printError: (text) => {
      told += text;
    },
    ...overrides,
  });
  return { code, told, printed };
}

test('the first token is on standard output alone', async () => {
  const { told, printed } = await run({ compose: async () => running({ firstToken: 'fh_first' }) });
  assert.match(printed, /^The first token was created.*\n {2}fh_first\n/);
  assert.ok(!told.includes('fh_first'));
});

test('startup prints both addresses, what to open, and that the server is open', async () => {
  const { code, told } = await run({});
  assert.equal(code, 0);
  for (const part of [
    'http://0.0.0.0:9000\n',
    'grpc://[::]:50052\n',
    'Open    http://127.0.0.1:9000/ in a browser\n',
    'Warning: no credentials are configured',
  ])
    assert.ok(told.includes(part), `${told} lacks ${part}`);
});

test('that an open server can be reached from other machines is in a box, with what closes it', async () => {
  const { told } = await run({});
  const box = told.split('\n').filter((line) => /^[┌│└]/.test(line));
  assert.ok(box.length > 2, told);
  assert.deepEqual([...new Set(box.map((line) => line.length))].length, 1, told);
  assert.match(
    box.join('\n'),
    /Warning: no credentials[^┘]*framehold token create --data-dir '[^']+' --scope admin/,
  );
  const local = { http: { address: '127.0.0.1', family: 'IPv4', port: 9000 }, grpc: '127.0.0.1:50052' };
  const alone = await run({ compose: async () => running(local) });
  assert.match(alone.told, /^Warning: no credentials are configured/m);
  assert.doesNotMatch(alone.told, /[┌│└]/);
  const oneOfBoth = await run({ compose: async () => running({ ...local, grpc: '[::]:50052' }) });
  assert.match(oneOfBoth.told, /┌/);
  const closed = await run({ compose: async () => running({ isOpen: false }) });
  assert.doesNotMatch(closed.told, /Warning/);
});

test('the log warns every hour while the server is open to other machines', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const warned: string[] = [];
  const log = new Log({ level: 'silent', format: 'json' });
  t.mock.method(log, 'write', (level: string, { event }: { event: string }) => {
    if (event === 'open-server') warned.push(level);
  });
  let isOpen = true;
  const server = {
    log,
    get isOpen() {
      return isOpen;
    },
  };
  const bound = { http: 'http://0.0.0.0:9000', grpc: 'grpc://0.0.0.0:50052' };
  using _ = remindOfOpenServer(server, bound, 'framehold token create');
  assert.equal(warned.length, 1);
  t.mock.timers.tick(2 * 3_600_000);
  assert.deepEqual(warned, ['warn', 'warn', 'warn']);
  isOpen = false;
  t.mock.timers.tick(3_600_000);
  assert.equal(warned.length, 3);
  isOpen = true;
  using __ = remindOfOpenServer(server, { http: 'http://127.0.0.1:9000', grpc: 'unix:/g' }, '');
  assert.equal(warned.length, 3);
});

test('for a unix socket the command to try uses it', async () => {
  const { told } = await run({
    compose: async () => running({ http: '/run/f.sock', grpc: 'unix:/run/g.sock' }),
  });
  assert.ok(told.includes('curl --unix-socket /run/f.sock http://localhost/ping\n'));
  assert.ok(told.includes('unix:/run/g.sock\n'));
});

test('the ready file appears whole once the server runs, and goes when it stops', async () => {
  const readyFile = join(folder, 'ready.json');
  writeFileSync(readyFile, 'of an earlier run');
  const stop = Promise.withResolvers<string>();
  const served = run({
    readyFile,
    stop: stop.promise,
    compose: async () => {
      assert.ok(!existsSync(readyFile), 'the file of an earlier run is still there');
      return running();
    },
    printError: () => {
      if (!existsSync(readyFile)) return;
      const note = JSON.parse(readFileSync(readyFile, 'utf8')) as unknown;
      assert.deepEqual(note, { http: 'http://127.0.0.1:9000', grpc: 'grpc://[::1]:50052', pid: process.pid });
      stop.resolve('seen');
    },
  });
  assert.equal((await served).code, 0);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('ready')),
    [],
  );
});

test('a ready file that cannot be written ends the start, and the server is closed', async () => {
  let closed = false;
  const close = async () => {
    closed = true;
  };
  const { code, told } = await run({
    readyFile: join(folder, 'missing', 'ready.json'),
    compose: async () => running({ close }),
  });
  assert.equal(code, 1);
  assert.ok(closed);
  assert.match(told, /^framehold: .*missing.* does not exist .*\n$/);
});

test('an expected failure at startup prints one line that says what to do', async () => {
  const { code, told } = await run({
    compose: async () => {
      throw new FrameholdError('internal', 'Another server\nholds the data directory.', {
        hint: 'Stop it.',
      });
    },
  });
  assert.deepEqual([code, told], [1, 'framehold: Another server holds the data directory. Stop it.\n']);
});

test('an unforeseen failure of the start shows its stack', async () => {
  const { code, told } = await run({
    compose: async () => {
      throw new TypeError('nobody thought of this');
    },
  });
  assert.equal(code, 1);
  assert.match(told, /^framehold: TypeError: nobody thought of this\n {4}at /);
});

test('a server that fails to close gives exit code 1', async () => {
  const { code, told } = await run({
    compose: async () => running({ close: () => Promise.reject(new Error('stuck')) }),
  });
  assert.equal(code, 1);
  assert.match(told, /closing failed: Error: stuck/);
});

test('a server that never closes is given up after the time to drain and a grace', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const closing = Promise.withResolvers<void>();
  const served = run({
    compose: async () =>
      running({
        close: () => {
          closing.resolve();
          return new Promise(() => {});
        },
      }),
  });
  await closing.promise;
  context.mock.timers.tick(settings['server.drain_delay_ms'] + settings['server.drain_ms'] + 10_000);
  const { code, told } = await served;
  assert.equal(code, 1);
  assert.match(told, /did not close within 105000 ms/);
});
