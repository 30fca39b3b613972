import { encodeSchema } from '../../../../server/src/arrow/ipc/schema-encoder.ts';
import type { IpcMessage } from '../../../../server/src/ports/renderer.ts';
import { readRows } from '../../../../server/test/engine/read-rows.ts';
import { ArrowResult } from '../../src/connect/arrow-result.ts';
import { ConnectClient } from '../../src/connect/connect-client.ts';
import type { ConnectSession } from '../../src/connect/connect-session.ts';
import type { Plan } from '../../src/connect/gen/spark/connect/base_pb.js';
import { resultSchema } from '../../src/connect/result-schema.ts';

const patienceMs = 180_000;

/** Without ConstantFolding, as every statement of ours runs: constants are computed by workers. */
const settings = new Map([
  ['spark.sql.session.timeZone', 'UTC'],
  ['spark.sql.ansi.enabled', 'true'],
  ['spark.sql.execution.arrow.useLargeVarTypes', 'false'],
  [
    'spark.sql.optimizer.excludedRules',
    ['ConstantFolding', 'ConvertToLocalRelation']
      .map((rule) => `org.apache.spark.sql.catalyst.optimizer.${rule}`)
      .join(),
  ],
]);

/** A session in which `work` is done, and nothing else. */
export async function inSession<Result>(
  url: string,
  work: (session: ConnectSession) => Promise<Result>,
): Promise<Result> {
  const client = await ConnectClient.open({ url });
  const session = client.session();
  try {
    await session.setConfig(settings, AbortSignal.timeout(patienceMs));
    return await work(session);
  } finally {
    await session.release();
    await client.close();
  }
}

export async function sparkRows(session: ConnectSession, plan: Plan): Promise<unknown[][]> {
  const signal = AbortSignal.timeout(patienceMs);
  const schema = resultSchema(await session.analyzeSchema(plan, signal), 'UTC');
  const rows: unknown[][] = [];
  for await (const row of readRows(encodeSchema(schema), messages())) rows.push(row);
  return rows;

  async function* messages(): AsyncGenerator<IpcMessage, void, void> {
    const result = new ArrowResult(schema);
    for await (const event of session.execute(plan, { signal }))
      if (event.kind === 'batch') yield* result.messagesOf(event);
  }
}
