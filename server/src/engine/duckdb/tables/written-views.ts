import { createHash } from 'node:crypto';
import type { EngineTable } from '../../../frames/ports/engine.ts';

/** A dashboard reads this many frames, about. */
const viewsMax = 64;
/** Of a text with its key; a frame with thousands of columns is rarely read so often that it matters. */
const textLengthMax = 64 * 1024;

/**
 * The statements that made views of tables before: to write one, the engine is asked what the files have in them, which takes as long as
 * to make the view. Files do not change, and a path names the same file as long as the instance lives.
 */
export class WrittenViews {
  /** The one that was used longest ago is first. */
  readonly #texts = new Map<string, string>();

  async textOf(table: EngineTable, write: () => Promise<string>): Promise<string> {
    const key = keyOf(table);
    const known = this.#texts.get(key);
    const text = known ?? (await write());
    if (text.length > textLengthMax) return text;
    this.#texts.delete(key);
    this.#texts.set(key, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > viewsMax && oldest !== undefined) this.#texts.delete(oldest);
    return text;
  }
}

function keyOf({ name, files, schemaMessage }: EngineTable): string {
  return createHash('sha256')
    .update(JSON.stringify([name, files]))
    .update(schemaMessage)
    .digest('base64');
}
