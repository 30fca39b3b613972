import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { removeFolder, temporaryFolder } from '../../../../server/test/support/temporary-folder.ts';
import { checkStatement, fillStatement } from '../../src/allowlist/check-statement.ts';
import { forgetTexts } from '../../src/allowlist/parse.ts';
import { type SparkConnectServer, startSparkConnect } from '../support/spark-connect-server.ts';
import { inWholeSparkRun } from '../support/spark-run.ts';
import { allAttacks } from './attacks/all-attacks.ts';
import { inPlace } from './attacks/attack.ts';
import { BareConnect, type Observation } from './attacks/bare-connect.ts';
import { mutants } from './java-parser/mutants.ts';
import { legalStatements } from './legal-statements.ts';
import { viewOf } from './sample-views.ts';

const count = inWholeSparkRun(20_000, 2_000);
const seed = Number(process.env.GATE_SEED ?? 1);

/** Of those that pass, at most so many are run: each takes some tenths of a second. */
const runMax = inWholeSparkRun(2_000, 60);

/** Statements for one session. */
const perSession = 40;
const viewsPerSession = 12;
const statementMs = 20_000;

/** What a statement over frames may do. */
const harmless: ReadonlySet<Observation> = new Set<Observation>(['answers', 'runs', 'runs on', 'fails']);

suite(`mutants of legal statements and of attacks, seed ${seed}`, () => {
  const folder = temporaryFolder('allowlist-mutants');
  let connect: SparkConnectServer;
  let bare: BareConnect;

  before(async () => {
    connect = await startSparkConnect();
    bare = await BareConnect.open(connect.url, join(folder, 'secrets'));
  });

  after(async () => {
    await bare.close();
    await connect.stop();
    removeFolder(folder);
  });

  /** What is sent for a text that passes; null for one that is refused. Anything else than a refusal is a fault. */
  function sentFor(sql: string): string | null {
    try {
      const statement = checkStatement(sql);
      if (statement.tables.length > viewsPerSession) return null;
      const { count: values, names } = statement.parameters;
      if (values === 0) return statement.text;
      const value = { type: 'string', value: `x' \${env:PATH} --` } as const;
      const given =
        names === null ? Array(values).fill(value) : Object.fromEntries(names.map((name) => [name, value]));
      return fillStatement({ statement, values: given }).text;
    } catch (thrown) {
      if (thrown instanceof RangeError) return null;
      if (!(thrown instanceof FrameholdError)) throw thrown;
      assert.ok(thrown.kind === 'sql_refused' || thrown.kind === 'sql_invalid', thrown.kind);
      assert.notEqual(thrown.message, 'The statement could be read in two ways.', sql);
      return null;
    }
  }

  test('those that pass leak nothing and change nothing', async (t) => {
    const attacks = Object.values(allAttacks)
      .flat()
      .map(([sql]) => inPlace(sql, bare.folder, bare.port));
    const passed = new Set<string>();
    let texts = 0;
    for (const sql of mutants([...attacks, ...legalStatements], count, seed)) {
      texts += 1;
      if (texts % 500 === 0) forgetTexts();
      const text = sentFor(sql);
      if (text !== null) passed.add(text);
    }
    assert.ok(passed.size > count / 100, `only ${passed.size} passed`);
    const views = Array.from({ length: viewsPerSession }, (_, index) =>
      viewOf(index, index === 1 ? 'symbols' : 'trades'),
    );
    const step = Math.max(1, Math.ceil(passed.size / runMax));
    const chosen = [...passed].filter((_, index) => index % step === 0);
    const observed = new Map<Observation, number>();
    for (let first = 0; first < chosen.length; first += perSession)
      await bare.inSession(views, async (observe) => {
        for (const text of chosen.slice(first, first + perSession)) {
          const observation = await observe(text, statementMs);
          assert.ok(harmless.has(observation), `${observation}: ${text}`);
          observed.set(observation, (observed.get(observation) ?? 0) + 1);
        }
      });
    t.diagnostic(
      `${count} mutants, ${passed.size} passed, ${chosen.length} run: ${JSON.stringify([...observed])}`,
    );
    assert.ok((observed.get('answers') ?? 0) > 0, 'none of them ran');
  });
});
