import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
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

  it('lets only the owner connect, and the group if it may read files', async () => {
    const before = process.umask(0o077);
    try {
      for (const [umask, mode] of [
        [0o077, 0o600],
        [0o027, 0o660],
        [0o000, 0o660],
      ] as const) {
        process.umask(umask);
        const path = join(folder, `mode-${umask}`);
        const server = createServer();
        await listen(server, { path });
        assert.equal(statSync(path).mode & 0o777, mode);
        server.close();
      }
    } finally {
      process.umask(before);
    }
  });

  it('leaves a unix socket alone on which somebody answers', async () => {
    const path = join(folder, 'live');
    const first = createServer((socket) => socket.end());
    await listen(first, { path });
    await assert.rejects(listen(createServer(), { path }), { code: 'EADDRINUSE' });
    first.close();
  });
});
