/** What the programs in Node share: where the server is, how a feature reports, and the statements. The Python programs have the same in `features.py`. */
interface Server {
  readonly host: string;
  readonly port: number;
  readonly cutPort: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly certificate: string;
  readonly skip?: readonly string[];
  /** The folder that has the packages of the client. */
  readonly packages?: string;
  /** The folder with the programs of PostgreSQL. */
  readonly programs?: string;
}

export const server = JSON.parse(process.argv[2] ?? '{}') as Server;

const everyColumn =
  'flag, small, whole, large, single, precise, amount, huge, label, data, day, moment, instant, clock, numbers, labels';
export const everyValue = `select ${everyColumn} from every_type where id <> 3 order by id`;
export const nulls = `select ${everyColumn} from every_type where id = 3`;
export const few = 'select id, symbol from trades where id <= 3 order by id';
export const ordered = 'select id from trades order by id';
/** Runs for many minutes: a thousand rows to the fourth. */
export const slow =
  'select count(*) from trades a, trades b, trades c, trades d where a.price + b.price > c.price + d.price and a.id + b.id + c.id + d.id > 3';
export const insert = 'insert into trades (id) values (0)';
export const cut = 'select 1 -- cut here';
export const isolationLevels = [
  'read uncommitted',
  'read committed',
  'repeatable read',
  'serializable',
] as const;

/** With its type: 5, '5' and 5n are three values. */
export function shown(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) return { hex: Buffer.from(value).toString('hex') };
  if (value instanceof Date) return { date: Number.isNaN(value.getTime()) ? 'invalid' : value.toISOString() };
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shown(each)]));
  return { [typeof value]: String(value) };
}

function sqlstateOf(error: unknown): string | null {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : null;
}

/** The SQLSTATE of what must fail. */
export async function failure(action: () => unknown): Promise<string | null> {
  try {
    await action();
  } catch (error) {
    return sqlstateOf(error);
  }
  throw new Error('no error');
}

/** Runs the features one after the other, and prints a line for what came of each. */
export async function run(features: Readonly<Record<string, () => unknown>>): Promise<never> {
  for (const [name, feature] of Object.entries(features)) {
    if (server.skip?.includes(name)) continue;
    print({ begins: name });
    try {
      print({ feature: name, ok: true, value: await feature() });
    } catch (error) {
      print({ feature: name, ok: false, error: String(error).slice(0, 2_000), sqlstate: sqlstateOf(error) });
    }
  }
  process.exit(0);
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
