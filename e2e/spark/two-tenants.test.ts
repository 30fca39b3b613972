/**
 * Two tenants at work on one server and one application of Spark, with frames of the same names, each trying to get at what the other has. What
 * a tenant is told must be right for its own frames, and never has a word of the other's.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { allAttacks } from '../../engines/spark/test/allowlist/attacks/all-attacks.ts';
import { inPlace } from '../../engines/spark/test/allowlist/attacks/attack.ts';
import {
  type SparkConnectServer,
  startSparkConnect,
} from '../../engines/spark/test/support/spark-connect-server.ts';
import { inWholeSparkRun } from '../../engines/spark/test/support/spark-run.ts';
import { getText, send, type TextAnswer } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

/** The same again: TWO_TENANTS_SEED=… */
const seed = Number(process.env.TWO_TENANTS_SEED ?? randomInt(2 ** 31));
/** Of each tenant. */
const steps = Number(process.env.TWO_TENANTS_STEPS ?? inWholeSparkRun(300, 20));

/** Words that occur nowhere else: in names, columns and values of their tenant. */
const markers = ['quokkazahir', 'wombatyxlop'] as const;
const sizes = [
  [100, 200, 300],
  [7, 14, 21],
] as const;
const names = ['trades', 'prices'] as const;
const attacks = Object.values(allAttacks).flat();

const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant('put' as const), name: fc.nat(1), size: fc.nat(2) }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('own' as const), name: fc.nat(1), form: fc.nat(4) }) },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('stranger' as const), name: fc.nat(1), form: fc.nat(9) }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('attack' as const), at: fc.nat(attacks.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('into' as const), name: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('look' as const), at: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('cancel' as const) }) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

let spark: SparkConnectServer;
let framehold: Framehold;
let bodies: readonly (readonly Uint8Array<ArrayBuffer>[])[];

before(async () => {
  spark = await startSparkConnect();
  framehold = await Framehold.start({ env: { FRAMEHOLD_SPARK_URL: spark.url } });
  const tables: Record<string, string> = {};
  for (const [tenant, marker] of markers.entries())
    for (const [index, rows] of (sizes[tenant] ?? []).entries())
      tables[`${tenant}-${index}`] =
        `pa.table({'n': pa.array(range(${rows}), pa.int64()), '${marker}_column': ['${marker} %d' % n for n in range(${rows})]})`;
  const made = await arrowBytes(tables);
  bodies = markers.map((_, tenant) =>
    [0, 1, 2].map((index) => made[`${tenant}-${index}`] as Uint8Array<ArrayBuffer>),
  );
});
after(async () => {
  await framehold?.remove();
  await spark?.stop();
});

class Side {
  /** Rows of its frames; null if there is none. */
  readonly #rows: (number | null)[] = names.map(() => null);
  readonly #tenant: 0 | 1;
  readonly #token: string;
  readonly queryId: string;
  /** Of the statement that the other tenant may be running. */
  strangerId = '';
  #copies = 0;
  rightAnswers = 0;

  constructor(tenant: 0 | 1) {
    this.#tenant = tenant;
    this.#token = newToken(framehold.dataDirectory, markers[tenant], 'write');
    this.queryId = `query-of-${markers[tenant]}`;
  }

  async take(step: Step): Promise<void> {
    const where = `tenant ${this.#tenant}: ${JSON.stringify(step)}`;
    const { text, status } = await this.#perform(step, where);
    for (const word of this.#forbidden(step))
      assert.ok(!text.toLowerCase().includes(word), `${where} reveals: ${text}`);
    assert.ok(status < 500, `${where}: ${status} ${text}`);
  }

  /** What a tenant has written itself may come back, also in its history: then only values of the other count, and its ids. */
  #forbidden({ op }: Step): readonly string[] {
    if (op === 'stranger' || op === 'cancel') return [`${this.#other} `];
    return op === 'look' ? [`${this.#other} `, `query-of-${this.#other}`] : [this.#other];
  }

  get #other(): string {
    return markers[1 - this.#tenant] as string;
  }

  #perform(step: Step, where: string): Promise<TextAnswer> {
    switch (step.op) {
      case 'put':
        return this.#put(step.name, step.size);
      case 'own':
        return this.#own(step.name, step.form, where);
      case 'stranger':
        return this.#stranger(step.name, step.form, where);
      case 'attack':
        return this.#attack(attacks[step.at]?.[0] ?? '', where);
      case 'into':
        return this.#into(step.name, where);
      case 'look':
        return this.#get(
          ['/v1/frames', '/v1/queries', '/v1/history', '/v1/status', '/metrics'][step.at] ?? '',
        );
      case 'cancel':
        return this.#cancel(where);
    }
  }

  #get(path: string, init: RequestInit = {}): Promise<TextAnswer> {
    return getText(framehold.url + path, { ...init, headers: { ...init.headers, ...this.#headers } });
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` };
  }

  #sql(sql: string, members: Readonly<Record<string, unknown>> = {}): Promise<TextAnswer> {
    return this.#get('/v1/sql', {
      method: 'POST',
      body: JSON.stringify({ sql, engine: 'spark', ...members }),
      headers: { 'content-type': 'application/json', 'framehold-query-id': this.queryId },
    });
  }

  async #put(name: number, size: number): Promise<TextAnswer> {
    const body = bodies[this.#tenant]?.[size] as Uint8Array<ArrayBuffer>;
    await send(framehold.url, `/v1/frames/${names[name]}`, body, { headers: this.#headers });
    this.#rows[name] = sizes[this.#tenant][size] ?? 0;
    return this.#get('/v1/frames');
  }

  async #own(name: number, form: number, where: string): Promise<TextAnswer> {
    const [table, rows] = [names[name], this.#rows[name] ?? null];
    const column = `${markers[this.#tenant]}_column`;
    const [sql, members, wanted] = [
      [`select count(*), max(${column}) from ${table}`, {}, (n: number) => [[n, this.#last(n)]]],
      [`select sum(n) from ${table} where n >= ?`, { parameters: [5] }, (n: number) => [[sumTo(n) - 10]]],
      [`select * from ${table} order by n limit 1`, {}, () => [[0, `${markers[this.#tenant]} 0`]]],
      [
        `with x as (select n from ${table}) select count(*) from x a join x b on a.n = b.n`,
        {},
        (n: number) => [[n]],
      ],
      [`select count(distinct ${column}) from \`${table}\` tablesample (100 rows)`, {}, null],
    ][form] as [string, Record<string, unknown>, ((n: number) => unknown[][]) | null];
    const answer = await this.#sql(sql, members);
    if (rows === null) {
      assert.equal(answer.status, 404, `${where}: ${answer.text}`);
      return answer;
    }
    if (wanted === null) return answer;
    assert.equal(answer.status, 200, `${where}: ${answer.text}`);
    assert.deepEqual(JSON.parse(answer.text).dataset, wanted(rows), where);
    this.rightAnswers += 1;
    return answer;
  }

  /** The greatest of the texts, by its letters. */
  #last(rows: number): string {
    const texts = Array.from({ length: rows }, (_, n) => `${markers[this.#tenant]} ${n}`);
    return texts.sort().at(-1) ?? '';
  }

  /** Names that could mean something of the other tenant. None of them may, whatever else is wrong with the text. */
  async #stranger(name: number, form: number, where: string): Promise<TextAnswer> {
    const table = names[name];
    const statement = [
      `select * from ${this.#other}.${table}`,
      `select ${this.#other}_column from ${table}`,
      `select * from ${this.#other}`,
      'select * from fh_0',
      'select * from `fh_1`',
      'select * from session.fh_0',
      'select * from global_temp.fh_0',
      `select * from spark_catalog.default.${table}`,
      'show tables',
      `describe ${this.#other}`,
    ][form] as string;
    const answer = await this.#sql(statement);
    assert.ok(answer.status >= 400 && answer.status < 500, `${where}: ${answer.status} ${answer.text}`);
    return answer;
  }

  async #attack(sql: string, where: string): Promise<TextAnswer> {
    const answer = await this.#sql(inPlace(sql, framehold.dataDirectory, 9));
    assert.ok(answer.status >= 400 && answer.status < 500, `${where}: ${answer.status} ${answer.text}`);
    return answer;
  }

  async #into(name: number, where: string): Promise<TextAnswer> {
    const rows = this.#rows[name] ?? null;
    const copy = `copied_${this.#copies++}`;
    const answer = await this.#sql(`select * from ${names[name]}`, { into: copy });
    if (rows === null) return answer;
    assert.equal(answer.status, 201, `${where}: ${answer.text}`);
    const counted = await this.#sql(`select count(*) from ${copy}`);
    assert.deepEqual(JSON.parse(counted.text).dataset, [[rows]], `${where}: ${counted.text}`);
    return counted;
  }

  /** A statement of the other's is not there to be cancelled, whether it runs or not. */
  async #cancel(where: string): Promise<TextAnswer> {
    const answer = await this.#get(`/v1/queries/${this.strangerId}`, { method: 'DELETE' });
    assert.equal(answer.status, 404, `${where}: ${answer.text}`);
    return answer;
  }
}

function sumTo(rows: number): number {
  return (rows * (rows - 1)) / 2;
}

test(`neither of two tenants of one application learns anything of the other (TWO_TENANTS_SEED=${seed})`, async (t) => {
  const plan = fc.array(anyStep, { minLength: steps, maxLength: steps, size: 'max' });
  const sides = [new Side(0), new Side(1)] as const;
  sides[0].strangerId = sides[1].queryId;
  sides[1].strangerId = sides[0].queryId;
  await fc.assert(
    fc.asyncProperty(plan, plan, async (...plans) => {
      await Promise.all(
        sides.map(async (side, tenant) => {
          for (const step of plans[tenant] ?? []) await side.take(step);
        }),
      );
    }),
    { seed, numRuns: 1, endOnFailure: true },
  );
  for (const { rightAnswers } of sides) assert.ok(rightAnswers > steps / 20, `${rightAnswers} answers`);
  t.diagnostic(
    `${steps} steps each; ${sides.map(({ rightAnswers }) => rightAnswers).join(' and ')} right answers`,
  );
});
