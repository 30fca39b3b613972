import { createHash } from 'node:crypto';
import { LruCache } from '../../../base/lru-cache.ts';
import type { EngineTable } from '../../../ports/engine.ts';

/** The frames that a dashboard reads, and more. */
const bytesMax = 4 * 1024 ** 2;
/** A frame with thousands of columns is rarely read so often that it matters. */
const textBytesMax = 128 * 1024;

/**
 * The statements that made views of tables before: to write one, the engine is asked what the files have in them, which takes as long as
 * to make the view. Files do not change, and a path names the same file as long as the instance lives.
 */
export class WrittenViews {
  readonly #texts = new LruCache<string>({ bytesMax, valueBytesMax: textBytesMax });

  async textOf(table: EngineTable, write: () => Promise<string>): Promise<string> {
    const key = keyOf(table);
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = await write();
    this.#texts.set(key, text, 2 * text.length);
    return text;
  }
}

function keyOf({ name, files, cut, schemaMessage }: EngineTable): string {
  return createHash('sha256')
    .update(JSON.stringify([name, files, cut]))
    .update(schemaMessage)
    .digest('base64');
}
