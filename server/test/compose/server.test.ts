import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, test } from 'node:test';
import { compose } from '../../src/compose/server.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Settings } from '../../src/config/settings.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('compose');
after(() => removeFolder(folder));

function settingsWith(grpcPort: number): Settings {
  const environment = {
    SERVICE_HTTP_BIND_ADDRESS: '127.0.0.1:0',
    SERVICE_GRPC_HOST: '127.0.0.1',
    SERVICE_GRPC_PORT: String(grpcPort),
    FRAMEHOLD_LOG_LEVEL: 'error',
  };
  return loadSettings({ flags: new Map([['data-dir', folder]]), environment, directory: folder }).settings;
}

test('what was made is closed if the last listener cannot start, so that the next try succeeds', async () => {
  const other = createServer();
  other.listen(0, '127.0.0.1').unref();
  await once(other, 'listening');
  await assert.rejects(compose(settingsWith((other.address() as AddressInfo).port)), /EADDRINUSE/);
  const server = await compose(settingsWith(0));
  await server.close();
});
