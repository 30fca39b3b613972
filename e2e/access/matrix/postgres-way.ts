import pg from 'pg';
import type { Cell, Holder } from './cells.ts';
import type { PostgresHow } from './postgres-asks.ts';
import { atOnce, type Outcome, type Stage } from './stage.ts';

type PostgresCell = Cell<PostgresHow>;

/** One connection for each holder, over which its cells go one after the other. */
export async function askPostgres(
  stage: Stage,
  cells: readonly PostgresCell[],
  secretOf: (cell: PostgresCell) => string | undefined,
): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const ofHolder = new Map<Holder, PostgresCell[]>();
  for (const cell of cells) ofHolder.set(cell.holder, [...(ofHolder.get(cell.holder) ?? []), cell]);
  await atOnce([...ofHolder.values()], async (own) => {
    const [first] = own as [PostgresCell];
    for (const [id, outcome] of await askAll(stage, own, secretOf(first))) outcomes.set(id, outcome);
  });
  return outcomes;
}

async function askAll(
  stage: Stage,
  cells: readonly PostgresCell[],
  secret: string | undefined,
): Promise<readonly (readonly [string, Outcome])[]> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: Number(stage.framehold.postgresUrl.port),
    user: 'framehold',
    database: 'any',
    password: secret ?? '',
  });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (thrown) {
    return cells.map(({ id }) => [id, refusal(thrown)]);
  }
  const outcomes: [string, Outcome][] = [];
  for (const cell of cells) outcomes.push([cell.id, await askOne(client, cell)]);
  await client.end();
  return outcomes;
}

async function askOne(client: pg.Client, { ask, handle }: PostgresCell): Promise<Outcome> {
  let said = '';
  try {
    for (const statement of ask.how(handle)) {
      const { text: words, values = [] } = typeof statement === 'string' ? { text: statement } : statement;
      const { rows } = await client.query({ text: words, values: [...values], rowMode: 'array' });
      said += JSON.stringify(rows);
    }
    return { kind: 'ok', text: said };
  } catch (thrown) {
    return refusal(thrown);
  } finally {
    await client.query('rollback');
    await client.query('deallocate all');
  }
}

/** The code of the error is its routine. */
function refusal(thrown: unknown): Outcome {
  const { routine, message, detail = '', hint = '' } = thrown as pg.DatabaseError;
  return { kind: routine ?? String(thrown), text: [message, detail, hint].join('\n') };
}
