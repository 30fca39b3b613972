import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { getText, putFrame } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { patienceMs } from '../../server/test/support/patience.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { partsFolder } from '../../server/test/support/repository.ts';

const schemathesis = join(partsFolder, 'schemathesis', 'bin', 'st');
/** What holds without exception. Not among them: that every body of the right shape is taken, because no schema says what is SQL or Arrow. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'missing_required_header',
  'unsupported_method',
];
const options = [
  // It does not end by itself.
  '--exclude-operation-id=followEvents',
  '--seed=20261115',
  '--max-examples=8',
  '--phases=examples,coverage,fuzzing',
  // With a time, it goes on until the time is over.
  ...inLongRun(['--max-time=300'], []),
  `--request-timeout=${patienceMs / 1_000}`,
  '--generation-database=none',
  '--suppress-health-check=all',
  '--continue-on-failure',
  '--no-shrink',
  '--no-color',
  '--warnings=off',
];

test('the OpenAPI document says what the server does: statuses, types, shapes and methods', {}, async (t) => {
  const framehold = await Framehold.start({ env: { FRAMEHOLD_LOG_LEVEL: 'warn' } });
  try {
    const { seed } = await arrowBytes({ seed: `pa.table({'a': pa.array([1, 2], pa.int64())})` });
    await putFrame(framehold.url, 'seed', seed);
    const child = spawn(
      schemathesis,
      ['run', `${framehold.url}/v1/openapi.json`, `--checks=${checks.join(',')}`, ...options],
      { cwd: framehold.home, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const output = await text(child.stdout);
    const code =
      child.exitCode ?? (await new Promise<number | null>((resolve) => child.once('exit', resolve)));
    t.diagnostic(/Test cases:\s*(.*)/.exec(output)?.[1] ?? 'no count of cases');
    assert.equal(code, 0, output);
    const { paths } = JSON.parse((await getText(`${framehold.url}/v1/openapi.json`)).text);
    const operations = Object.values(paths as Record<string, object>).flatMap(Object.keys);
    const tested = Number(/Tested: (\d+)/.exec(output)?.[1]);
    t.diagnostic(`${tested} of ${operations.length} operations`);
    assert.ok(tested > operations.length / 2, output);
    assert.equal(framehold.exit, null);
  } finally {
    await framehold.remove();
  }
});
