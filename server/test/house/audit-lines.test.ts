import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverSources } from './source-files.ts';

test('lines of the audit log are built in one file', () => {
  const builders = serverSources().filter(({ text }) => text.includes("event: 'audit',"));
  assert.deepEqual(
    builders.map(({ path }) => path),
    ['server/src/frames/access/audit.ts'],
  );
});

test('access, limits and audit are steps of a service, not classes around another one', () => {
  const implementations = serverSources().flatMap(({ path, text }) =>
    [...text.matchAll(/\bclass \w+ implements (Frames|Sql|Sharing|Tenants|UpstreamProxy)\b/g)].map(
      ([, service]) => `${service}: ${path.replace('server/src/', '')}`,
    ),
  );
  assert.deepEqual(implementations.sort(), [
    'Frames: frames/frame-service.ts',
    'Sharing: frames/sharing/sharing-service.ts',
    'Sql: sql/sql-service.ts',
    'Tenants: frames/tenants/tenants-service.ts',
    'UpstreamProxy: frames/proxy/proxy-service.ts',
  ]);
});
