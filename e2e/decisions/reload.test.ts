/** SIGHUP: a service loads its settings again, a server on a terminal that goes away drains and ends. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Framehold, serverCommand } from '../../server/test/support/framehold-process.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({ ownConfigFile: '[http]\nlimit_max = 10\n' });
});
after(() => framehold.remove());

/** Writes the file, sends SIGHUP, and gives the line that says what came of it. */
async function reload(file: string): Promise<Record<string, unknown>> {
  const folder = join(framehold.home, '.framehold');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.toml'), file);
  const before = framehold.lines.length;
  framehold.signal('SIGHUP');
  return await framehold.until('line about the settings', () => {
    const line = framehold.lines.slice(before).find((each) => /"settings-(not-)?reloaded"/.test(each));
    return line === undefined ? null : (JSON.parse(line) as Record<string, unknown>);
  });
}

const statusOf = async (limit: number) =>
  (await fetch(`${framehold.url}/exec?handle=none&fmt=json&limit=${limit}`)).status;

test('SIGHUP loads limits and the log level again, and names what needs a restart', async () => {
  assert.equal(await statusOf(20), 400);
  const line = await reload('[http]\nlimit_max = 30\n[logging]\nlevel = "debug"\n[sql]\nthreads = 1\n');
  assert.deepEqual(
    [line.event, line.level, line.changed, line.needRestart],
    ['settings-reloaded', 'warn', ['http.limit_max', 'logging.level'], ['sql.threads']],
  );
  // There is no such frame, but 20 is allowed now.
  assert.equal(await statusOf(20), 404);
  await framehold.until('line at debug', () =>
    framehold.lines.some((each) => each.includes('"level":"debug"')) ? true : null,
  );
});

test('a file that is not valid changes nothing, and the log says why', async () => {
  const line = await reload('[http]\nlimit_max = "many"\n');
  assert.deepEqual([line.event, line.level], ['settings-not-reloaded', 'error']);
  assert.match(String(line.reason), /http\.limit_max: "many"/);
  assert.equal(await statusOf(20), 404);
});

test('a server on a terminal that is closed drains and ends with 0', async () => {
  const home = temporaryFolder('terminal');
  try {
    // A terminal of its own, closed once the server is ready.
    const program = `
import json, os, pty, sys, time
given = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(HOME=given['home'], SERVICE_HTTP_BIND_ADDRESS='127.0.0.1:0', SERVICE_GRPC_HOST='127.0.0.1', SERVICE_GRPC_PORT='0')
    log = os.open(given['home'] + '/log', os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.execv(given['command'][0], given['command'] + ['server', '--data-dir', given['home'] + '/data', '--ready-file', given['home'] + '/ready'])
while not os.path.exists(given['home'] + '/ready'):
    time.sleep(0.05)
os.close(terminal)
_, status = os.waitpid(pid, 0)
print(json.dumps({'code': os.waitstatus_to_exitcode(status), 'log': open(given['home'] + '/log').read()}))
`;
    const given = JSON.stringify({ home, command: serverCommand });
    const { stdout } = await promisify(execFile)('python3', ['-c', program, given], { timeout: 600_000 });
    const { code, log } = JSON.parse(stdout) as { code: number; log: string };
    assert.equal(code, 0, log);
    assert.match(log, /"event":"stopping","reason":"SIGHUP"/);
  } finally {
    removeFolder(home);
  }
});
