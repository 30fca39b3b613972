/** What public clients of PostgreSQL ask its catalogs: this server gives the same rows, with the same names and types of columns. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { catalogDifferences } from './catalog-differences.ts';
import { type Side, startFramehold, startPostgres } from './sides.ts';

interface Recorded {
  readonly client: string;
  readonly values: readonly string[];
  readonly text: string;
}

const tables = ['every_type', 'trades', 'Daily-Sales'];

function readStatements(): readonly Recorded[] {
  const file = readFileSync(join(import.meta.dirname, 'catalog-statements.sql'), 'utf8');
  const [, ...blocks] = file.split('\n').slice(1).join('\n').split(/^-- /m);
  return blocks.slice(1).map((block) => {
    const [head = '', text = ''] = block.split('\n');
    const [, client = '', values = '[]'] = /^(\S+)(?: (.*))?$/.exec(head) ?? [];
    return { client, values: JSON.parse(values) as string[], text };
  });
}

interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
}

/** One side, with the numbers that its tables have there. */
class Asked {
  readonly #client: pg.Client;
  readonly #oids = new Map<string, string>();

  constructor({ address }: Side) {
    const { host, port, user, password, database } = address;
    this.#client = new pg.Client({ host, port, user, password, database });
  }

  async connect(): Promise<void> {
    await this.#client.connect();
    const { rows } = await this.#client.query(
      'SELECT relname, oid FROM pg_catalog.pg_class WHERE relname = ANY($1)',
      [tables],
    );
    for (const { relname, oid } of rows) this.#oids.set(relname, String(oid));
  }

  /** Rows as texts, with the names of tables in the place of their numbers. */
  async ask({ text, values }: Recorded): Promise<Answer | string> {
    try {
      const result = await this.#client.query({
        text: this.#withOids(text),
        values: values.map((value) => this.#withOids(value)),
        rowMode: 'array',
        types: { getTypeParser: () => (value: string) => value },
      });
      const columns = result.fields.map(({ name, dataTypeID }) => `${name}:${dataTypeID}`);
      const rows = (result.rows as (string | null)[][]).map((row) =>
        row.map((value) => (value === null ? 'NULL' : this.#withNames(value))).join(' | '),
      );
      return { columns, rows: /order by [^()]*$/i.test(text) ? rows : rows.sort() };
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  end(): Promise<void> {
    return this.#client.end();
  }

  #withOids(text: string): string {
    return text.replaceAll(/\{([\w-]+)\}/g, (all, name: string) => this.#oids.get(name) ?? all);
  }

  #withNames(value: string): string {
    const found = [...this.#oids].find(([, oid]) => oid === value);
    return found === undefined ? value : `{${found[0]}}`;
  }
}

describe('catalogs', () => {
  const statements = readStatements();
  let sides: readonly Side[] = [];
  let postgres: Asked;
  let framehold: Asked;
  before(async () => {
    const started = [await startPostgres(), await startFramehold()] as const;
    sides = started;
    postgres = new Asked(started[0]);
    framehold = new Asked(started[1]);
    await Promise.all([postgres.connect(), framehold.connect()]);
  });
  after(async () => {
    await Promise.all([postgres?.end(), framehold?.end()]);
    for (const side of sides) await side[Symbol.asyncDispose]();
  });

  test('there are statements of ten clients', () => {
    assert.ok(statements.length > 150, String(statements.length));
    assert.ok(new Set(statements.map(({ client }) => client)).size >= 10);
  });

  test('the next statement finds the catalogs that were made for this one', async () => {
    // Making them takes ten times as long as most statements; they say when they were made.
    const ask = () =>
      framehold.ask({ client: '', values: [], text: 'SELECT pg_postmaster_start_time() FROM pg_am' });
    assert.deepEqual(await ask(), await ask());
  });

  for (const [index, statement] of statements.entries())
    test(`${index} ${statement.client}: ${statement.text.slice(0, 60)}`, async () => {
      const [wanted, got] = await Promise.all([postgres.ask(statement), framehold.ask(statement)]);
      if (typeof wanted === 'string')
        return assert.equal(typeof got, 'string', `PostgreSQL refuses it: ${wanted}`);
      const difference = catalogDifferences.find(({ statement: one }) => one === index);
      if (difference === undefined) return assert.deepEqual(got, wanted);
      // Bound, and answered: only what the list says differs.
      assert.equal(typeof got, 'object', String(got));
      return assert.notDeepEqual(got, wanted, 'a listed difference that is not there');
    });
});
