import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Framehold } from '../../server/test/support/framehold-process.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { patienceMs } from '../../server/test/support/patience.ts';

/** What tests ask of a server whose statements Spark runs. */

export interface SqlAnswer {
  readonly status: number;
  readonly json: {
    readonly rows?: number;
    readonly dataset?: readonly (readonly unknown[])[];
    readonly code?: string;
    readonly detail?: string;
    readonly handle?: string;
  };
}

/** Beside Spark a busy machine may not start an engine process in time. Then nothing was done, and a caller tries again. */
export async function runSql(
  framehold: Framehold,
  sql: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<SqlAnswer> {
  for (const deadline = Date.now() + patienceMs; ; ) {
    const answer = await ask(framehold, sql, more);
    if (answer.json.code !== 'overloaded' || Date.now() > deadline) return answer;
    await timePasses(1_000, 'before it is tried again');
  }
}

async function ask(
  framehold: Framehold,
  sql: string,
  more: Readonly<Record<string, unknown>>,
): Promise<SqlAnswer> {
  const answer = await fetch(`${framehold.url}/v1/sql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ sql, ...more }),
  });
  return { status: answer.status, json: (await answer.json()) as SqlAnswer['json'] };
}

/** The rows of a statement, which must succeed. */
export async function rowsOf(framehold: Framehold, sql: string, engine = 'duckdb') {
  const { status, json } = await runSql(framehold, sql, { engine });
  assert.equal(status, 200, JSON.stringify(json));
  return json.dataset ?? [];
}

/** Makes a frame on DuckDB. */
export async function createFrame(framehold: Framehold, name: string, select: string): Promise<void> {
  const { status, json } = await runSql(framehold, `CREATE TABLE ${name} AS ${select}`);
  assert.ok(status < 300, JSON.stringify(json));
}

/** Folders of results that are left. */
export function leftResults(framehold: Framehold): readonly string[] {
  const root = join(framehold.dataDirectory, 'attempts', 'default');
  return existsSync(root) ? readdirSync(root) : [];
}

/** What Spark has written so far of the only result, on every level. */
export function writtenFiles(framehold: Framehold): readonly string[] {
  const root = join(framehold.dataDirectory, 'attempts', 'default');
  try {
    return readdirSync(root, { recursive: true }).map(String);
  } catch {
    // It has gone meanwhile.
    return [];
  }
}
