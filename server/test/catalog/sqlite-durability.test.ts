import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import { start, tenant } from './change-builder.ts';

const directory = mkdtempSync(join(tmpdir(), 'framehold-catalog-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const rounds = 5;
const killAfterAcks = [1, 40, 100, 170, 250] as const;

test('after kill -9 no acknowledged commit is missing', async (t) => {
  const path = join(directory, 'catalog.sqlite');
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const lines = await commitUntilKilled(path, round, killAfterAcks[round] ?? 100);
    assert.ok(lines.length > 0);
    acknowledged.push(...lines);
    const catalog = await openSqliteCatalog({ path });
    t.after(() => catalog.close());
    for (const line of acknowledged) {
      const [name = '', version, partId] = line.split(' ');
      const record = await catalog.resolve(tenant, name, null, start);
      assert.equal(record.version, Number(version));
      const parts = await catalog.parts(tenant, name, record.version);
      assert.equal(parts.length, 2);
      assert.equal(parts[1]?.id, partId);
    }
    await catalog.close();
  }
  const db = new DatabaseSync(path);
  assert.deepEqual(db.prepare('PRAGMA integrity_check').all(), [{ __proto__: null, integrity_check: 'ok' }]);
  const sums = db
    .prepare('SELECT (SELECT arrow_bytes FROM counters) = sum(arrow_bytes) AS equal FROM parts')
    .get();
  assert.equal(sums?.equal, 1);
  db.close();
});

async function commitUntilKilled(path: string, round: number, acks: number): Promise<string[]> {
  const script = join(import.meta.dirname, 'commit-loop.ts');
  const child = spawn(process.execPath, [script, path, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let output = '';
  let seen = 0;
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    output += chunk;
    seen += chunk.split('\n').length - 1;
    if (seen >= acks) child.kill('SIGKILL');
  }
  await exited;
  // A last line that was cut is not an acknowledgement anybody read.
  return output.split('\n').slice(0, -1);
}
