import type { IpcMessage } from '../../../ports/renderer.ts';

/** Rows that go out over DoGet. */
export interface ResultSet {
  readonly schemaMessage: Uint8Array;
  readonly messages: AsyncIterable<IpcMessage>;
  release(): Promise<void>;
}
