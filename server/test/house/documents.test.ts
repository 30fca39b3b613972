/** What the code offers and what docs/reference says are the same lists: nothing undocumented, nothing only on paper. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { limitsOf, readLimits, renderLimitsPage, shownValue } from '../../../scripts/limits-page.ts';
import { renderSettingsDocument } from '../../src/config/document.ts';
import { flagsOf, variablesOf } from '../../src/config/setting-names.ts';
import { settingKeys, settingOf } from '../../src/config/settings.ts';
import { limitSettings } from '../../src/config/tenant-limits.ts';
import { type ErrorKind, errorKinds } from '../../src/model/errors.ts';
import { startBareListener } from '../http/bare-listener.ts';
import { repositoryRoot } from '../support/repository.ts';
import { sourceFiles } from './source-files.ts';

const reference = (name: string) => readFileSync(join(repositoryRoot, 'docs', 'reference', name), 'utf8');
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '');

test('settings.md has exactly the settings, in their order, with flag and variables', () => {
  const document = reference('settings.md');
  assert.deepEqual(matches(document, /^### `([^`]+)`$/gm), [...settingKeys]);
  for (const key of settingKeys) {
    for (const flag of flagsOf(key)) assert.ok(document.includes(`--${flag}\``), flag);
    for (const { name } of variablesOf(key)) assert.ok(document.includes(name), name);
  }
  assert.equal(document, renderSettingsDocument(), 'run node scripts/write-reference.ts');
});

test('the README is short enough to be read', () => {
  assert.ok(Buffer.byteLength(readFileSync(join(repositoryRoot, 'README.md'))) <= 6_000);
});

test('limits.md has exactly the fixed limits, each with its reason', () => {
  const limits = readLimits();
  assert.ok(limits.length > 300, 'the sources are read');
  const without = limits.filter(({ reason }) => reason === '').map(({ path, name }) => `${path}: ${name}`);
  assert.deepEqual(without, [], 'write the reason above the constant');
  assert.equal(reference('limits.md'), renderLimitsPage(), 'run node scripts/write-reference.ts');
});

test('a limit is a constant of a module that is named as one, with the comment above it', () => {
  const text = [
    '/** Callers wait',
    ' * no longer. */',
    'const waitMs = 2 * 60_000;',
    'export const waitingMax = 1_000;',
    '',
    '/** A unit. */',
    'const dayMs = 24 * 3_600_000;',
    'const keptMs: number = 30 * dayMs;',
    '/** Of the format. */',
    'const headerBytes = 8;',
    'const bodyBytesMax = 64 * 1024 ** 2;',
    'const count = 3;',
    'const typeMax = 2n ** 63n - 1n;',
    '  const innerMax = 1;',
    'const callMax = sizeOf(1);',
  ].join('\n');
  assert.deepEqual(
    limitsOf('server/src/http/x.ts', text).map((limit) => [limit.name, shownValue(limit), limit.reason]),
    [
      ['waitMs', '2 min', 'Callers wait no longer.'],
      ['waitingMax', '1,000', 'Callers wait no longer.'],
      ['keptMs', '30 days', 'A unit.'],
      ['bodyBytesMax', '64 MiB', 'Of the format.'],
    ],
  );
});

test('errors.md has exactly the codes, with their HTTP and gRPC statuses', () => {
  const grpcNames = [
    'OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED',
    'FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED',
  ]
    .join(' ')
    .split(' ');
  const rows = [...reference('errors.md').matchAll(/^\| `(\w+)` \| (\d{3}) \| (\w+) \|/gm)];
  const documented = rows.map(([, code, status, grpc]) => `${code} ${status} ${grpc}`);
  const real = Object.entries(errorKinds).map(
    ([code, { status, grpc }]) => `${code} ${status} ${grpcNames[grpc]}`,
  );
  assert.deepEqual(documented.sort(), real.sort());
});

const flagOf = (key: string) => `--${key.replace('tenant.', '').replaceAll('_', '-')}`;
/** Setting, default, meaning, what happens above it with its code, where it is changed, and with several nodes. */
const limitRow = /^\| `([\w.]+)` \| ([^|]+) \| [^|]+ \| 429 `(\w+)`[^|]* \| ([^|]+) \| [^|]+ \|$/gm;

test('access.md has every limit of a tenant, with its default and where it is changed', () => {
  const limits = Object.entries(limitSettings).map(([name, key]) => [key, `\`${name}\`, \`${flagOf(key)}\``]);
  const places = new Map(limits.map(([key = '', place = '']) => [key, place]));
  const keys = settingKeys.filter((key) => key.startsWith('tenant.') || key.includes('.tenant_streams'));
  const real = keys.map((key) => [
    key,
    settingOf(key).default ?? 'not set',
    places.get(key) ?? 'the same for all tenants',
  ]);
  const rows = [...reference('access.md').matchAll(limitRow)];
  const documented = rows.map(([, key, usual, , place]) => [key, usual, place]);
  assert.deepEqual(documented.sort(), real.sort());
  for (const [, key, , code = ''] of rows)
    assert.equal(errorKinds[code as ErrorKind]?.status, 429, `${key}: ${code}`);
});

test('metrics.md has exactly the metrics', () => {
  // In a process of its own: the runtime's metrics keep observers open.
  const script = `import { renderMetricsDocument } from './server/src/telemetry/document.ts';
    process.stdout.write(renderMetricsDocument(), () => process.exit());`;
  const rendered = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  const document = reference('metrics.md');
  const names = (text: string) => matches(text, /^\| `(\w+)` \|/gm);
  assert.ok(names(rendered).length > 20);
  assert.deepEqual(names(document), names(rendered));
  assert.equal(document, rendered, 'run node scripts/write-reference.ts');
});

/** `GET /path` of every route that a listener offers, from its own description. */
async function routes(): Promise<string[]> {
  // Not offered unless it is enabled.
  const mcp = { isEnabled: true, rowsMax: 1, bytesMax: 1_024, timeoutMs: 1_000, serverVersion: '0' };
  const listener = await startBareListener({ mcp });
  try {
    const response = await fetch(`${listener.url}/v1/openapi.json`);
    const { paths } = (await response.json()) as { readonly paths: Readonly<Record<string, object>> };
    return Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
  } finally {
    await listener.close();
  }
}

test('http.md has a section and a row for exactly the routes', async () => {
  const document = reference('http.md');
  const real = (await routes()).sort();
  assert.ok(real.length >= 15, 'the listener describes its routes');
  assert.deepEqual(matches(document, /^## ((?:GET|PUT|POST|PATCH|DELETE) \/\S*)$/gm).sort(), real);
  const rows = matches(document, /^(\| \[`.*)$/gm).join('\n');
  assert.deepEqual(matches(rows, /\[`((?:GET|PUT|POST|PATCH|DELETE) \/[^`]*)`\]\(#/g).sort(), real);
});

test('no route is registered past the list', () => {
  const registrations = sourceFiles('server/src/http').flatMap(({ path, text }) =>
    matches(text, /\bapp\.(route|get|put|post|patch|delete|all)\(/g).map(() => path),
  );
  assert.deepEqual([...new Set(registrations)], ['server/src/http/routes/resource.ts']);
});

test('flight.md has exactly the actions', () => {
  const source = readFileSync(join(repositoryRoot, 'server/src/flight/verbs/actions.ts'), 'utf8');
  const block = /^const actions[^=]*= \{\n([\s\S]*?)^\};$/m.exec(source)?.[1] ?? '';
  const real = matches(block, /^ {2}(\w+): \{$/gm);
  assert.ok(real.length >= 3, 'the source is read');
  const document = reference('flight.md');
  const section = document.slice(document.indexOf('## DoAction'), document.indexOf('## Errors'));
  assert.deepEqual(matches(section, /^\| `(\w+)` \|/gm), real);
});

test('flight.md has every call of the protocol', () => {
  const protocol = readFileSync(join(repositoryRoot, 'server/proto/Flight.proto'), 'utf8');
  const service = /service FlightService \{([\s\S]*?)^\}/m.exec(protocol)?.[1] ?? '';
  const calls = matches(service, /^\s*rpc (\w+)\(/gm);
  assert.ok(calls.length >= 9, 'the protocol is read');
  const document = reference('flight.md');
  assert.deepEqual(
    calls.filter((call) => !document.includes(call)),
    [],
  );
});
