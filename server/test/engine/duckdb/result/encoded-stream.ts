import assert from 'node:assert/strict';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Schema } from '../../../../src/arrow/field.ts';
import { endOfStream, frameHeader } from '../../../../src/arrow/ipc/framing.ts';
import { encodeSchema } from '../../../../src/arrow/ipc/schema-encoder.ts';
import { withoutMarks } from '../../../../src/arrow/schema/wide-integers.ts';
import { arrowSchemaOf, encodeResult } from '../../../../src/engine/duckdb/result/encode-result.ts';
import type { IpcPiece } from '../../../../src/engine/statement-runner.ts';

export interface EncodedStream {
  readonly schema: Schema;
  readonly messages: readonly { readonly header: Uint8Array; readonly body: Uint8Array }[];
  /** The whole IPC stream. */
  readonly bytes: Buffer;
}

/** One for all: starting an engine takes longer than most statements. */
const instance = await DuckDBInstance.create(':memory:', { threads: '2' });

/** Runs a statement, and encodes its rows as this schema, or as that which its types ask for. */
export async function encodedStream(sql: string, target: Schema | null = null): Promise<EncodedStream> {
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    const statement = await connection.prepare(sql);
    const result = await statement.stream();
    const schema = target ?? withoutMarks(arrowSchemaOf(result.columnNames(), result.columnTypes()));
    const messages: { readonly header: Uint8Array; readonly body: Uint8Array }[] = [];
    const held: IpcPiece[] = [];
    for await (const piece of encodeResult(result, schema)) {
      messages.push({ header: piece.header, body: Buffer.concat(piece.body) });
      // As if the last but one had just been written: what follows uses its memory.
      held.push(piece);
      if (held.length > 2) held.shift()?.release();
    }
    for (const [index, piece] of held.entries())
      assert.deepEqual(Buffer.concat(piece.body), messages.at(index - held.length)?.body);
    const pieces = messages.flatMap(({ header, body }) => [frameHeader(header), body]);
    return {
      schema,
      messages,
      bytes: Buffer.concat([frameHeader(encodeSchema(schema)), ...pieces, endOfStream]),
    };
  } finally {
    connection.closeSync();
  }
}
