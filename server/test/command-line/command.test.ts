import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchSignals } from '../../src/command-line/signals.ts';
import { Child } from '../support/child-process.ts';
import { runFramehold } from '../support/framehold-process.ts';

test('framehold version prints the version of the package', async () => {
  const { code, output } = await runFramehold(['version']);
  assert.equal(code, 0);
  assert.match(output, /^framehold \d+\.\d+\.\d+$/);
});

test('framehold alone prints the help and starts nothing', async () => {
  const { code, lines } = await runFramehold([]);
  assert.equal(code, 0);
  assert.ok(lines.includes('Usage: framehold COMMAND [flags]'), lines.slice(0, 5).join('\n'));
});

test('framehold config prints the values in force', async () => {
  const { code, lines } = await runFramehold(['config', '--grpc-port=7'], {
    env: { SERVICE_LOG_LEVEL: 'INFO' },
    configFile: '[server]\nmax_connections = 5\n',
  });
  assert.equal(code, 0);
  assert.ok(lines.some((line) => /^server\.grpc_port = 7 +# flag --grpc-port$/.test(line)));
  assert.ok(lines.some((line) => /^logging\.level = "info" +# environment SERVICE_LOG_LEVEL$/.test(line)));
  assert.ok(lines.some((line) => /^server\.max_connections = 5 +# file .*config\.toml$/.test(line)));
});

test('a wrong setting is one line and exit code 2, before anything is started', async () => {
  const { code, lines } = await runFramehold(['server', '--grpc-port', '70000']);
  assert.equal(code, 2);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^framehold: server\.grpc_port: "70000"/);
});

/** Says which signal came first, then takes its time. */
const stopsSlowly = `
  const { watchSignals } = await import(${JSON.stringify(import.meta.resolve('../../src/command-line/signals.ts'))});
  const { stop } = watchSignals();
  setTimeout(() => {}, 20_000);
  console.log('watching');
  console.log('asked by ' + (await stop));`;

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`the first ${signal} asks to stop, the second one ends the process with 1`, async () => {
    const child = new Child({
      command: process.execPath,
      args: ['--input-type=module', '-e', stopsSlowly],
    });
    await child.line(/^watching$/);
    child.signal(signal);
    await child.line(new RegExp(`^asked by ${signal}$`));
    child.signal(signal);
    const exit = await child.until('end', () => child.exit);
    assert.deepEqual(exit, { code: 1, signal: null });
  });
}

test('SIGHUP asks a server on a terminal to stop, and only the first one counts', () => {
  const { signals, told } = watched(true);
  process.emit('SIGHUP', 'SIGHUP');
  process.emit('SIGHUP', 'SIGHUP');
  assert.equal(told.reloads, 0);
  signals[Symbol.dispose]();
  return signals.stop.then((signal) => assert.equal(signal, 'SIGHUP'));
});

test('SIGHUP asks a service to reload, as often as it comes', () => {
  const { signals, told } = watched(false);
  process.emit('SIGHUP', 'SIGHUP');
  process.emit('SIGHUP', 'SIGHUP');
  assert.equal(told.reloads, 2);
  signals[Symbol.dispose]();
});

function watched(hasTerminal: boolean) {
  const told = { reloads: 0 };
  const signals = watchSignals(hasTerminal);
  signals.onReload = () => {
    told.reloads += 1;
  };
  return { signals, told };
}
