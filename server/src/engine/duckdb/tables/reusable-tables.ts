import type { EngineTable } from '../../../ports/engine.ts';

/** What is remembered of them; more than that is made again. */
const bytesMax = 128 * 1024;

/**
 * The tables whose views the last statement left in an instance, for a next one that reads exactly the same: to take them away and to make them again costs more
 * than a small statement. Their files are not left, but names that are the same again.
 */
export class ReusableTables {
  #tables: readonly EngineTable[] = [];

  get isEmpty(): boolean {
    return this.#tables.length === 0;
  }

  /** Whether they are these, in this order, over these files. */
  are(tables: readonly EngineTable[]): boolean {
    return (
      tables.length === this.#tables.length &&
      tables.every((table, index) => isSame(table, this.#tables[index] as EngineTable))
    );
  }

  /** False if they are too large to be remembered. */
  leave(tables: readonly EngineTable[]): boolean {
    if (weight(tables) > bytesMax) return false;
    this.#tables = tables;
    return true;
  }

  clear(): void {
    this.#tables = [];
  }
}

function isSame(a: EngineTable, b: EngineTable): boolean {
  return (
    a.name === b.name &&
    a.cut?.offset === b.cut?.offset &&
    a.cut?.limit === b.cut?.limit &&
    a.files.length === b.files.length &&
    a.files.every((file, index) => file === b.files[index]) &&
    Buffer.compare(a.schemaMessage, b.schemaMessage) === 0
  );
}

function weight(tables: readonly EngineTable[]): number {
  let bytes = 0;
  for (const { name, files, schemaMessage } of tables) {
    bytes += name.length + schemaMessage.byteLength;
    for (const file of files) bytes += file.length;
  }
  return bytes;
}
