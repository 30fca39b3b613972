import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveSettings } from '../../src/config/live-settings.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Settings } from '../../src/config/settings.ts';

function load(environment: Readonly<Record<string, string>> = {}): Settings {
  return loadSettings({
    flags: new Map(),
    environment: { HOME: '/nowhere', ...environment },
    directory: '/',
  }).settings;
}

test('what can be reloaded changes in the object that everybody has; the rest is named and stays', () => {
  const live = new LiveSettings(load());
  const { settings } = live;
  const changes = live.apply(
    load({ FRAMEHOLD_FRAMES_PUTS_MAX: '3', FRAMEHOLD_TENANT_FRAMES_MAX: '7', FRAMEHOLD_GRPC_PORT: '1234' }),
  );
  assert.deepEqual(changes, {
    changed: ['tenant.frames_max', 'frames.puts_max'],
    needRestart: ['server.grpc_port'],
  });
  assert.deepEqual(
    [settings['frames.puts_max'], settings['tenant.frames_max'], settings['server.grpc_port']],
    [3, 7, 50_052],
  );
});

test('what is no longer given has its default again, and the same settings change nothing', () => {
  const live = new LiveSettings(load({ FRAMEHOLD_FRAMES_PUTS_MAX: '3' }));
  assert.deepEqual(live.apply(load()), { changed: ['frames.puts_max'], needRestart: [] });
  assert.equal(live.settings['frames.puts_max'], 64);
  assert.deepEqual(live.apply(load()), { changed: [], needRestart: [] });
});

test('the live settings have every value of those they began with', () => {
  const atStart = load();
  assert.deepEqual({ ...new LiveSettings(atStart).settings }, { ...atStart });
});
