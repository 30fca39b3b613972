import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runFramehold } from '../support/framehold-process.ts';
import { partsFolder, repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const unit = readFileSync(join(repositoryRoot, 'deploy', 'systemd', 'framehold.service'), 'utf8');

/** What systemd says about a unit. The command must exist, so another program that does takes its place. */
function verify(text: string): string {
  const file = join(temporaryFolder('unit'), 'framehold.service');
  writeFileSync(file, text.replace('/usr/local/bin/framehold', join(partsFolder, 'bin', 'prometheus')));
  const { stdout, stderr, error } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
    encoding: 'utf8',
  });
  if (error) throw error;
  // It ends with 0 even if it does not know a key.
  return stdout + stderr;
}

test('systemd has nothing to say about the unit', () => {
  assert.equal(verify(unit), '');
});

test('clients of PostgreSQL are let in by taking the mark of a comment away', async () => {
  const text = unit.replace('# Environment=FRAMEHOLD_POSTGRES', 'Environment=FRAMEHOLD_POSTGRES');
  assert.notEqual(text, unit);
  assert.equal(verify(text), '');
  const [, name = '', value = ''] = /^Environment=(FRAMEHOLD_POSTGRES\w+)=(.*)$/m.exec(text) ?? [];
  const { output } = await runFramehold(['config'], { env: { [name]: value } });
  assert.match(output, /^postgres\.bind_address = "0\.0\.0\.0:5432" /m);
});

test('credentials are required', () => {
  assert.match(unit, /^Environment=FRAMEHOLD_AUTH_REQUIRED=true$/m);
});

test('a key that systemd does not know would be noticed', () => {
  assert.match(verify(unit.replace('ProtectHome=', 'ProtectHomes=')), /Unknown key.*'ProtectHomes'/);
});

test('its exposure is low, as systemd counts it', () => {
  const { stdout } = spawnSync(
    'systemd-analyze',
    ['security', '--offline=true', '--no-pager', 'deploy/systemd/framehold.service'],
    {
      cwd: repositoryRoot,
      encoding: 'utf8',
    },
  );
  const level = Number(/Overall exposure level for framehold\.service: ([\d.]+)/.exec(stdout)?.[1]);
  // 10 is a service without any of it.
  assert.ok(level > 0 && level < 2, stdout.slice(-200));
});
