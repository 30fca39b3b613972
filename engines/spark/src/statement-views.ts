import { FrameholdError } from '../../../server/src/model/errors.ts';
import type { EngineTable } from '../../../server/src/ports/engine.ts';
import type { ConnectSession } from './connect/connect-session.ts';
import { settingsFor, tableSettings } from './tables/table-settings.ts';
import { tableView } from './tables/table-view.ts';

/** The driver looks at the files of each: a few at a time. */
const createdAtOnce = 4;

/** The tables of a statement as views of its session: the n-th that it names is `fh_<n>`. */
export class StatementViews {
  readonly #tables: readonly EngineTable[];

  /** sql_invalid if one is missing. */
  constructor(names: readonly string[], tables: readonly EngineTable[]) {
    const given = new Map(tables.map((table) => [table.name.toLowerCase(), table]));
    this.#tables = names.map((name) => {
      const table = given.get(name.toLowerCase());
      if (table === undefined) throw new FrameholdError('sql_invalid', `There is no table ${name}.`);
      return table;
    });
  }

  /** What the session of the statement needs in addition to what every session does. */
  get settings(): Readonly<Record<string, string>> {
    return { ...tableSettings, ...settingsFor(this.#tables) };
  }

  async create(session: ConnectSession, signal: AbortSignal): Promise<void> {
    const waiting = this.#tables.entries();
    await Promise.all(
      Array.from({ length: createdAtOnce }, async () => {
        for (const [index, table] of waiting) await session.run(tableView(`fh_${index}`, table), signal);
      }),
    );
  }
}
