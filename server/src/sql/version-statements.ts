import { parseMessage } from '../arrow/ipc/message.ts';
import { describeColumn } from '../arrow/schema/column-types.ts';
import { withWideIntegers } from '../arrow/schema/wide-integers.ts';
import type { TranscodedVersion } from '../frames/parts/statement-transcoding.ts';
import type { Caller } from '../model/caller.ts';
import { FrameholdError } from '../model/errors.ts';
import type { TenantSlots } from '../model/limits/tenant-slots.ts';
import type { VersionRecord } from '../model/version.ts';
import type { IpcMessage, Renderer } from '../ports/renderer.ts';
import type { CellText, OwnStatements, VersionStatement } from '../ports/version-statements.ts';
import type { SqlEngine } from './engines.ts';
import { RunningStatement, type RunningStatementDependencies } from './running-statement.ts';
import { StatementResources } from './statement-resources.ts';
import { engineTable, type StatementTables } from './tables/statement-tables.ts';

export interface VersionStatementsDependencies extends RunningStatementDependencies {
  readonly engine: SqlEngine;
  readonly slots: TenantSlots;
  readonly renderer: Pick<Renderer, 'renderStream'>;
}

/** What these statements return is a summary. One of more text than this has a fault. */
const answerBytesMax = 32 * 1024 * 1024;

/**
 * The server's own statements over versions that the caller may read; the caller of `rows` has checked that. Each counts as a statement of
 * the caller's tenant: it is limited, listed, logged and can be cancelled like any other.
 */
export class VersionStatements implements OwnStatements {
  readonly #dependencies: VersionStatementsDependencies;

  constructor(dependencies: VersionStatementsDependencies) {
    this.#dependencies = dependencies;
  }

  async rows(
    caller: Caller,
    { title, sql, tables }: VersionStatement,
    signal: AbortSignal,
  ): Promise<readonly (readonly CellText[])[]> {
    const { engine, queries, slots } = this.#dependencies;
    const resources = new StatementResources(slots, caller.tenant);
    try {
      const running = new RunningStatement(
        this.#dependencies,
        caller,
        title,
        engine,
        resources,
        queries.begin(caller, title, null, engine.name),
        signal,
      );
      try {
        await running.begin({ sql });
        resources.reads(await this.#open(tables, running.signal));
        const bound = await running.bind({ insertInto: null });
        const made = running.rows(resources.run(null));
        const texts = await this.#texts(bound.schemaMessage, made, running.signal);
        // As long as it has a process it counts for its tenant.
        await running.end('ok');
        return texts;
      } catch (thrown) {
        throw await running.fail(thrown);
      }
    } finally {
      await resources.close();
    }
  }

  async #open(tables: VersionStatement['tables'], signal: AbortSignal): Promise<StatementTables> {
    const open: { name: string; record: VersionRecord; transcoded: TranscodedVersion }[] = [];
    const release = async () => {
      for (const { transcoded } of open) transcoded.release();
    };
    try {
      for (const [name, record] of tables)
        open.push({
          name,
          record,
          transcoded: await this.#dependencies.engine.versions.open(record, signal),
        });
    } catch (error) {
      await release();
      throw error;
    }
    return {
      tables: open.map(({ name, record, transcoded }) => engineTable(name, record, transcoded)),
      records: open.map(({ record }) => record),
      objects: open.flatMap(({ transcoded }) => transcoded.objects),
      release,
    };
  }

  /** Through the renderer, so that a value has the same text here as in rows. */
  async #texts(
    schemaMessage: Uint8Array,
    messages: AsyncIterable<IpcMessage>,
    signal: AbortSignal,
  ): Promise<readonly (readonly CellText[])[]> {
    const parsed = parseMessage(schemaMessage);
    if (parsed.kind !== 'schema') throw new Error('the engine gave another message than a schema');
    const columns = withWideIntegers(parsed.schema).fields.map(describeColumn);
    const rows = { schemaMessage, markedSchemaMessage: schemaMessage, columns, messages };
    const options = { format: 'json', query: '', quoteLargeNumbers: false } as const;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.#dependencies.renderer.renderStream(rows, options, signal)) {
      bytes += chunk.length;
      if (bytes > answerBytesMax)
        throw new FrameholdError('sql_memory', `The summary has more than ${answerBytesMax} bytes.`, {
          hint: 'Ask for fewer columns.',
        });
      chunks.push(chunk);
    }
    const answer = JSON.parse(Buffer.concat(chunks).toString(), exactText as (key: string) => unknown);
    return (answer as { readonly dataset: readonly (readonly CellText[])[] }).dataset;
  }
}

/** Numbers as they are written: parsed ones would lose digits. */
function exactText(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? (context.source ?? value) : value;
}
