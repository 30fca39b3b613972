/** Random statements with puts between them: a server that keeps answers gives what one gives that runs every statement. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Random, seededRandom } from '../../server/test/fuzz/seeded-random.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';

const seed = 20_261_117;
const statements = inLongRun(3_000, 120);
const tables = ['one', 'two', 'three'] as const;
const formats = ['json', 'csv', 'ndjson'] as const;

let keeping: Framehold;
let running: Framehold;
before(async () => {
  // Old versions go in the background, at another moment on each of the two.
  const env = { FRAMEHOLD_FRAMES_VERSIONS_KEEP: '10000' };
  [keeping, running] = await Promise.all([
    Framehold.start({ env }),
    Framehold.start({ env: { ...env, FRAMEHOLD_SQL_ANSWERS_BYTES_MAX: '0' } }),
  ]);
});
after(async () => {
  await keeping?.remove();
  await running?.remove();
});

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item;
}

function times<Item>(count: number, make: () => Item): Item[] {
  return Array.from({ length: count }, make);
}

function csv(random: Random): string {
  const rows = times(1 + random(20), () => {
    const n = random(5) === 0 ? '' : String(random(10) - 5);
    return `${n},${pick(random, ['a', 'b', 'c', ''])},${random(100) / 4},2020-01-0${1 + random(9)}`;
  });
  return `n,s,d,day\n${rows.join('\n')}\n`;
}

/** Of few kinds, so that many come again. */
function expression(random: Random): string {
  return pick(random, [
    'n',
    's',
    'd',
    'n + 1',
    'upper(s)',
    "coalesce(s, 'none')",
    'abs(n)',
    "date_trunc('month', day)",
    'strlen(s)',
    'n::VARCHAR',
    'CASE WHEN n > 0 THEN s END',
    '[n, 1]',
    '$1',
    "typeof($1) || '!'",
  ]);
}

function predicate(random: Random): string {
  return pick(random, [
    'true',
    'n > 0',
    "s = 'a'",
    'n IS NULL',
    "day > DATE '2020-01-04'",
    'n IN (SELECT n FROM two)',
    'd BETWEEN 3 AND 12',
    "s LIKE '%b%'",
  ]);
}

function statement(random: Random): string {
  const from = pick(random, tables);
  const where = predicate(random);
  switch (random(6)) {
    case 0:
      return `SELECT ${expression(random)} AS x, ${expression(random)} AS y FROM ${from} WHERE ${where} ORDER BY ALL`;
    case 1:
      return `SELECT s, count(*) AS c, sum(n) AS t, min(d) AS m FROM ${from} WHERE ${where} GROUP BY s ORDER BY ALL`;
    case 2:
      return `SELECT a.n, b.s FROM ${from} a JOIN ${pick(random, tables)} b USING (n) WHERE a.${pick(random, ['n > 0', "s = 'a'"])} ORDER BY ALL`;
    case 3:
      return `WITH c AS (SELECT * FROM ${from} WHERE ${where}) SELECT count(*) AS c, max(n) AS x FROM c`;
    case 4:
      return `SELECT n, rank() OVER (ORDER BY n) AS r FROM ${from} WHERE ${where} ORDER BY ALL`;
    default:
      return `SELECT * FROM ${from} WHERE ${where} UNION ALL SELECT * FROM "${pick(random, tables)}@1" ORDER BY ALL`;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly sources: string | null;
  readonly isKept: boolean;
}

async function ask(
  { url }: Framehold,
  format: string,
  members: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const answer = await fetch(`${url}/v1/sql?fmt=${format}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(members),
  });
  const text = await answer.text();
  const isKept = (answer.headers.get('server-timing') ?? '').split(', ').includes('kept');
  return {
    status: answer.status,
    text: answer.ok ? text : comparable(text),
    sources: answer.headers.get('framehold-sources'),
    isKept,
  };
}

/** Errors have ids, and times at which something happened. */
function comparable(problem: string): string {
  return problem.replace(/"requestId":"[^"]*"/, '').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'some time');
}

async function change(random: Random, name = pick(random, tables)): Promise<void> {
  const body = csv(random);
  const isAppend = random(2) === 0;
  for (const { url } of [keeping, running]) {
    const path = isAppend ? `/v1/frames/${name}/rows` : `/v1/frames/${name}`;
    const answer = await fetch(`${url}${path}`, {
      method: isAppend ? 'POST' : 'PUT',
      headers: { 'content-type': 'text/csv' },
      body,
    });
    assert.ok(answer.ok, await answer.text());
  }
}

test('the same answers with and without the kept ones', async (t) => {
  const random = seededRandom(seed, 0);
  for (const name of tables)
    for (const { url } of [keeping, running]) {
      const body = 'n,s,d,day\n1,a,0.5,2020-01-01\n2,b,1.25,2020-01-02\n,c,3.5,2020-01-03\n';
      const answer = await fetch(`${url}/v1/frames/${name}`, {
        method: 'PUT',
        headers: { 'content-type': 'text/csv' },
        body,
      });
      assert.equal(answer.status, 201, await answer.text());
    }
  const known = times(12, () => statement(random));
  let kept = 0;
  let changes = 0;
  let succeeded = 0;
  for (let index = 0; index < statements; index++) {
    if (random(15) === 0) {
      await change(random);
      changes += 1;
    }
    const sql = random(8) === 0 ? statement(random) : pick(random, known);
    const value = pick(random, [1, 1.5, '1', null, true]);
    const members = {
      sql,
      ...(sql.includes('$1') ? { parameters: [value] } : {}),
      ...(random(4) === 0 ? { limit: 2 } : {}),
    };
    const format = pick(random, formats);
    const [with_, without] = await Promise.all([
      ask(keeping, format, members),
      ask(running, format, members),
    ]);
    const { isKept, ...answer } = with_;
    assert.deepEqual(answer, { status: without.status, text: without.text, sources: without.sources }, sql);
    if (isKept) kept += 1;
    assert.equal(without.isKept, false);
    if (answer.status === 200) succeeded += 1;
  }
  t.diagnostic(`${kept} of ${statements} kept, ${succeeded} succeeded, ${changes} changes`);
  assert.ok(kept > statements / 8, `${kept} kept`);
  assert.ok(succeeded > statements / 2, `${succeeded} succeeded`);
});
