import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type ListenOptions } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { describeStartFailure } from '../../src/command-line/start-failure.ts';
import { loadSettings } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('start-failure');

function settingsWith(flags: Readonly<Record<string, string>>) {
  const sources = { environment: { HOME: folder }, directory: folder };
  return loadSettings({ ...sources, flags: new Map(Object.entries(flags)) }).settings;
}

/** The error of a real listener that cannot bind. */
async function bindError(options: ListenOptions): Promise<Error> {
  const server = createServer();
  const failed = once(server, 'error');
  server.listen(options);
  const [error] = (await failed) as [Error];
  return error;
}

/** As grpc-js wraps it: the code is only in the message. */
function asGrpc(error: Error): Error {
  return new Error(`No address added out of total 1 resolved errors: [${error.message}]`);
}

test('an address in use is named, with the flag that changes it', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const error = await bindError({ port, host: '127.0.0.1' });
  taken.close();

  const forHttp = settingsWith({ 'http-bind-address': `localhost:${port}` });
  const says = `The address 127.0.0.1:${port} is in use: stop the program that has it, or choose another with`;
  assert.equal(describeStartFailure(error, forHttp), `${says} --http-bind-address.`);
  const forGrpc = settingsWith({ 'grpc-port': String(port) });
  assert.equal(describeStartFailure(asGrpc(error), forGrpc), `${says} --grpc-port or --grpc-host.`);
  const forBoth = settingsWith({ 'grpc-port': String(port), 'http-bind-address': `127.0.0.1:${port}` });
  assert.equal(describeStartFailure(asGrpc(error), forBoth), `${says} --http-bind-address or --grpc-port.`);
});

test('an address of another machine is named', async () => {
  // TEST-NET-1 of RFC 5737 belongs to nobody.
  const error = await bindError({ port: 9000, host: '192.0.2.1' });
  const settings = settingsWith({ 'http-bind-address': '192.0.2.1:9000' });
  assert.match(
    describeStartFailure(error, settings) ?? '',
    /^The address 192\.0\.2\.1:9000 is not one of this machine/,
  );
});

test('a socket in a directory that is not there is named', async () => {
  const path = join(folder, 'missing', 'a.sock');
  const settings = settingsWith({ 'http-bind-address': `unix:${path}` });
  const line = describeStartFailure(await bindError({ path }), settings) ?? '';
  assert.ok(line.startsWith(`The socket ${path} cannot be made`), line);
  assert.ok(line.endsWith('--http-bind-address.'), line);
});

test('a host that is not known is named', () => {
  const settings = settingsWith({});
  const byNode = Object.assign(new Error('getaddrinfo ENOTFOUND no.invalid'), { hostname: 'no.invalid' });
  const byGrpc = new Error('Name resolution failed for target dns:no.invalid:50052');
  for (const error of [byNode, byGrpc])
    assert.match(describeStartFailure(error, settings) ?? '', /^The host no\.invalid is not known/);
});

test('a data directory that is a file is named', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  let error: unknown;
  try {
    mkdirSync(join(file, 'data'), { recursive: true });
  } catch (thrown) {
    error = thrown;
  }
  const line = describeStartFailure(error, settingsWith({})) ?? '';
  assert.match(line, /file\/data is not a directory \(ENOTDIR\): move what is there away/);
});

test('a data directory in which SQLite can make no file is named', () => {
  let error: unknown;
  try {
    new DatabaseSync(join(folder, 'missing', 'lock'));
  } catch (thrown) {
    error = thrown;
  }
  const line = describeStartFailure(error, settingsWith({ 'data-dir': '/data' })) ?? '';
  assert.match(line, /^The data directory \/data cannot be written: .* --data-dir\.$/);
});

test('what nobody foresaw is not explained away', () => {
  for (const error of [new Error('?'), 'text', Object.assign(new Error('x'), { code: 'EIO', path: '/x' })])
    assert.equal(describeStartFailure(error, settingsWith({})), null);
});
