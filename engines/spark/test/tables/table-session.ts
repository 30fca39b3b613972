import type { Schema } from '../../../../server/src/arrow/field.ts';
import { encodeSchema } from '../../../../server/src/arrow/ipc/schema-encoder.ts';
import { unreadableError } from '../../../../server/src/model/unreadable-column.ts';
import { joinStream } from '../../../../server/src/parquet/ipc-piece.ts';
import type { EngineTable } from '../../../../server/src/ports/engine.ts';
import { ArrowResult } from '../../src/connect/arrow-result.ts';
import type { ConnectClient } from '../../src/connect/connect-client.ts';
import { resultSchema } from '../../src/connect/result-schema.ts';
import { sessionSettings } from '../../src/session/session-settings.ts';
import { settingsFor, tableSettings } from '../../src/tables/table-settings.ts';
import { tableView } from '../../src/tables/table-view.ts';
import { never, sqlPlan } from '../connect/connect-rows.ts';

export interface TableRows {
  readonly schema: Schema;
  readonly rows: number;
  /** An Arrow stream. */
  readonly stream: Uint8Array;
}

/** A session with the settings of a statement, and a view of each table under its own name. */
export class TableSession {
  readonly #session: ReturnType<ConnectClient['session']>;

  private constructor(session: ReturnType<ConnectClient['session']>) {
    this.#session = session;
  }

  static async open(
    client: ConnectClient,
    tables: readonly EngineTable[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<TableSession> {
    const session = client.session();
    const settings = new Map(
      Object.entries({ ...sessionSettings, ...tableSettings, ...settingsFor(tables), ...more }),
    );
    await session.setConfig(settings, never);
    for (const table of tables) await session.run(tableView(table.name, table), never);
    return new TableSession(session);
  }

  async rows(sql: string): Promise<TableRows> {
    try {
      const plan = sqlPlan(sql);
      const schema = resultSchema(await this.#session.analyzeSchema(plan, never), 'UTC');
      const result = new ArrowResult(schema);
      const pieces: { header: Uint8Array; body: Uint8Array }[] = [];
      for await (const event of this.#session.execute(plan, { signal: never })) {
        if (event.kind !== 'batch') continue;
        for (const { header, peekBody } of result.messagesOf(event))
          pieces.push({ header, body: peekBody?.() ?? new Uint8Array(0) });
      }
      return { schema, rows: result.rows, stream: joinStream(encodeSchema(schema), pieces) };
    } catch (thrown) {
      throw (thrown instanceof Error ? unreadableError(thrown.message) : null) ?? thrown;
    }
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}
