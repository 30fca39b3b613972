/** The clients that people have, unchanged, against the started command: ADBC, polars, pandas, pyarrow.flight and JDBC. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { shortJavaOptions } from '../../server/test/support/java.ts';
import { runPython } from '../../server/test/support/python.ts';
import { jdbcDriver } from '../../server/test/support/repository.ts';

const python = join(import.meta.dirname, '..', 'python');
const jdbc = join(import.meta.dirname, '..', 'jdbc');
const timeoutMs = 1_200_000;

/** What is wrong, by the title of the check; null if nothing is. */
type Faults = Readonly<Record<string, string | null>>;

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(async () => {
  await framehold?.remove();
});

async function pythonChecks(script: string): Promise<Faults> {
  const request = { http: framehold.url, grpc: framehold.grpcUrl };
  return (await runPython([join(python, script)], request, timeoutMs)) as Faults;
}

/** One line for each check: `ok TITLE`, or `fault TITLE: what is wrong`. */
async function javaChecks(timeZone: string, ...only: readonly string[]): Promise<Faults> {
  const { stdout } = await promisify(execFile)(
    'java',
    [
      ...shortJavaOptions,
      '-Xmx512m',
      `-Duser.timezone=${timeZone}`,
      '-cp',
      jdbcDriver,
      join(jdbc, 'JdbcChecks.java'),
      new URL(framehold.grpcUrl).host,
      ...only,
    ],
    { timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024 },
  );
  const lines = [...stdout.matchAll(/^(ok|fault) ([^:\n]+)(?:: (.*))?$/gm)];
  return Object.fromEntries(
    lines.map(([, state, title, fault]) => [title, state === 'ok' ? null : (fault ?? '')]),
  );
}

const clients = [
  { name: 'adbc-driver-flightsql', run: () => pythonChecks('adbc_checks.py'), atLeast: 25 },
  { name: 'polars, pandas and pyarrow.flight', run: () => pythonChecks('dataframe_checks.py'), atLeast: 15 },
  { name: 'the JDBC driver', run: () => javaChecks('UTC'), atLeast: 20 },
  {
    name: 'the JDBC driver in another time zone',
    run: () => javaChecks('Asia/Kolkata', 'times are bound'),
    atLeast: 1,
  },
];

for (const { name, run, atLeast } of clients)
  test(name, async (t) => {
    const faults = await run();
    for (const [title, fault] of Object.entries(faults))
      await t.test(title, () => assert.equal(fault, null, fault ?? ''));
    assert.ok(Object.keys(faults).length >= atLeast, `${Object.keys(faults).length} checks were made`);
  });
