import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listen } from '../../src/sockets/listen.ts';

const folder = mkdtempSync(join(tmpdir(), 'framehold-listen-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('listen', () => {
  it('takes over a unix socket that a killed process left', async () => {
    const path = join(folder, 'left');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    assert.ok(existsSync(path));
    const server = createServer();
    await listen(server, { path });
    server.close();
  });

  it('leaves a unix socket alone on which somebody answers', async () => {
    const path = join(folder, 'live');
    const first = createServer((socket) => socket.end());
    await listen(first, { path });
    await assert.rejects(listen(createServer(), { path }), { code: 'EADDRINUSE' });
    first.close();
  });
});
