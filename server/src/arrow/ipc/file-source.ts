import type { FileHandle } from 'node:fs/promises';
import type { ByteSource } from '../arrow/ipc/message-reader.ts';

/** An open file as a source of messages. */
export function fileSource(file: FileHandle): ByteSource {
  return {
    async read(target, position) {
      if (target.length === 0) return 0;
      const { bytesRead } = await file.read(target, 0, target.length, position);
      return bytesRead;
    },
  };
}
