import { endOfStream, frameHeader } from '../../arrow/ipc/framing.ts';
import { readBody } from '../../arrow/ipc/message-reader.ts';
import type { Frames, PutOutcome, PutTarget } from '../../frames/frames.ts';
import type { Caller } from '../../model/caller.ts';
import type { IpcMessage } from '../../ports/renderer.ts';

export interface RowStream {
  readonly schemaMessage: Uint8Array;
  readonly messages: AsyncIterable<IpcMessage>;
}

/** Puts the rows of a statement as they are made. If they are not complete, nothing is stored. */
export async function putRows(
  frames: Frames,
  caller: Caller,
  target: PutTarget,
  rows: RowStream,
  signal: AbortSignal,
): Promise<PutOutcome> {
  const session = await frames.beginPut(caller, target, signal);
  try {
    await session.write([frameHeader(rows.schemaMessage)]);
    for await (const message of rows.messages) {
      await session.write([frameHeader(message.header), await readBody(message)]);
    }
    await session.write([endOfStream]);
    return await session.finish();
  } finally {
    await session.abort();
  }
}
