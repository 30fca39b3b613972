import { endOfStream, frameHeader } from '../../arrow/ipc/framing.ts';
import type { Frames, PutSession, PutTarget } from '../../frames/frames.ts';
import { parseTtlMs } from '../../model/duration.ts';
import { FrameholdError, isAbsent } from '../../model/errors.ts';
import { parseName } from '../../model/handle.ts';
import { frameCatalog, frameSchema } from '../../model/sql-names.ts';
import type { Call } from '../call.ts';
import { conditionsOf } from '../conditions.ts';
import type { FlightData } from '../flight-data.ts';
import {
  type CommandStatementIngest,
  CommandStatementIngest_TableDefinitionOptions_TableExistsOption as IfExists,
  CommandStatementIngest_TableDefinitionOptions_TableNotExistOption as IfNotExist,
} from '../gen/FlightSql_pb.js';
import { shown } from './any-message.ts';
import { readHeader } from './parameters.ts';
import { refuseTransaction } from './transactions.ts';

/** Bulk ingestion is a put: the batches are kept byte for byte. Gives the number of rows that came. */
export async function ingest(
  command: CommandStatementIngest,
  messages: AsyncIterable<FlightData>,
  frames: Frames,
  call: Call,
): Promise<number> {
  refuseTransaction(command.transactionId);
  checkPlace(command);
  const session = await begin(command, frames, call);
  try {
    let rows = 0;
    for await (const { header, body } of messages) {
      if (header.length === 0) continue;
      const message = readHeader(header);
      if (message.kind === 'record-batch') rows += message.batch.length;
      await session.write([frameHeader(header), ...body]);
    }
    await call.confirmEnd();
    await session.write([endOfStream]);
    await session.finish();
    return rows;
  } finally {
    await session.abort();
  }
}

function checkPlace({ table, schema, catalog, temporary }: CommandStatementIngest): void {
  parseName(table);
  if (temporary) {
    throw new FrameholdError('unimplemented', 'There are no temporary tables.', {
      hint: 'Ingest into a table and let it expire: option "ttl", for example "1h".',
    });
  }
  const isOurs = (given: string | undefined, ours: string) => !given || given.toLowerCase() === ours;
  if (isOurs(catalog, frameCatalog) && isOurs(schema, frameSchema)) return;
  throw new FrameholdError('bad_request', 'Tables can be ingested into framehold.main only.', {
    hint: `Leave catalog and schema out, or give ${frameCatalog} and ${frameSchema}.`,
  });
}

async function begin(command: CommandStatementIngest, frames: Frames, call: Call): Promise<PutSession> {
  const { ifNotExist, ifExists } = command.tableDefinitionOptions ?? {};
  const target = { ...targetOf(command), ...conditionsOfIngest(command, call) };
  const put = (mode: PutTarget['mode']) => frames.beginPut(call.caller, { ...target, mode }, call.signal);
  const isCreated = ifNotExist === IfNotExist.CREATE;
  if (!isCreated && ifNotExist !== IfNotExist.FAIL) throw unclear();
  if (ifExists === IfExists.FAIL && isCreated) return put('create');
  if (ifExists === IfExists.REPLACE && isCreated) return put('replace');
  if (ifExists === IfExists.APPEND && !isCreated) return put('append');
  if (ifExists === IfExists.APPEND) {
    // An append to an absent name fails before a byte is read. If another request creates it meanwhile, that one wins and this one fails.
    // A key that is known, but not of an append: the first time the name was absent.
    return put('append').catch((error: unknown) => {
      if (isAbsent(error) || isKeyConflict(error)) return put('create');
      throw error;
    });
  }
  if (ifExists === IfExists.REPLACE) {
    await frames.resolve(call.caller, { name: command.table, version: null }, call.signal);
    return put('replace');
  }
  throw unclear();
}

function isKeyConflict(error: unknown): boolean {
  return error instanceof FrameholdError && error.kind === 'idempotency_conflict';
}

function targetOf({ table, options }: CommandStatementIngest): Omit<PutTarget, 'mode'> {
  const { ttl, idempotencyKey: _, ...unknown } = options;
  const [name] = Object.keys(unknown);
  if (name !== undefined) {
    throw new FrameholdError('bad_request', `Ingestion has no option ${shown(name)}.`, {
      hint: 'Its options are ttl and idempotencyKey.',
    });
  }
  return {
    name: table,
    format: 'arrow',
    originFormat: 'flight',
    ...(ttl === undefined ? {} : { ttlMs: parseTtlMs(ttl) }),
  };
}

/** In headers, because drivers have no way to give options. */
function conditionsOfIngest(
  { options }: CommandStatementIngest,
  call: Call,
): Pick<PutTarget, 'ifMatch' | 'idempotencyKey'> {
  const { createOnly, ...conditions } = conditionsOf(call) ?? {};
  if (createOnly === true)
    throw new FrameholdError('bad_request', 'An ingestion says itself what to do if the table exists.', {
      hint: 'Leave the header if-none-match out, and use the mode create.',
    });
  const { idempotencyKey } = options;
  if (idempotencyKey === undefined) return conditions;
  if (conditions.idempotencyKey !== undefined && conditions.idempotencyKey !== idempotencyKey)
    throw new FrameholdError('bad_request', 'The ingestion has two different idempotency keys.', {
      hint: 'Give one, as an option or in the header idempotency-key.',
    });
  return { ...conditions, idempotencyKey };
}

function unclear(): FrameholdError {
  return new FrameholdError('bad_request', 'The ingestion does not say what to do with the table.', {
    hint: 'Give both options: if the table is absent, create or fail; if it exists, fail, append or replace; not fail twice.',
  });
}
