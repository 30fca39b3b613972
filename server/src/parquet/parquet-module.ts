import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as library from 'parquet-wasm/esm';
import { joinBytes } from '../arrow/join-bytes.ts';
import { hasTrapped, isTrap, ParquetFault, parquetFault } from './parquet-fault.ts';

/**
 * The Parquet library (arrow-rs as WebAssembly), made ready once per thread. Its calls block for as long as they work, so it belongs into workers;
 * its memory only grows, so a thread that handled much should end after it.
 */
export type ParquetModule = typeof library;

/**
 * The most memory that the library may take in one thread. Runs and row groups of a usual size need a tenth of it; what needs more
 * is a row group of gigabytes or an attack, and fails in its own thread instead of starving the server.
 */
const memoryBytesMax = 1024 * 1024 * 1024;
const pageBytes = 64 * 1024;
const memorySection = 5;

let ready = false;

export function parquetModule(): ParquetModule {
  if (hasTrapped()) throw new ParquetFault('the Parquet library gave up earlier in this thread', true, null);
  if (!ready) {
    const file = fileURLToPath(import.meta.resolve('parquet-wasm/esm/parquet_wasm_bg.wasm'));
    library.initSync({ module: limitMemory(readFileSync(file), memoryBytesMax / pageBytes) });
    process.on('uncaughtException', onUncaught);
    ready = true;
  }
  return library;
}

const waiting = new Set<(trap: unknown) => void>();

/**
 * A trap inside a promise of the library never settles it: it surfaces as an uncaught exception of the thread. This rejects
 * whatever waits for the library then.
 */
export function untilTrap<Value>(promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    waiting.add(reject);
    promise.then(resolve, reject).finally(() => waiting.delete(reject));
  });
}

function onUncaught(error: unknown): void {
  // Behind the first trap others follow, from whatever the library still had to do.
  if (!isTrap(error) || (waiting.size === 0 && !hasTrapped())) throw error;
  const fault = parquetFault(error);
  for (const reject of waiting) reject(fault);
  waiting.clear();
}

/** The same WebAssembly module with a maximum in its memory section: the library itself sets none. */
function limitMemory(module: Uint8Array, pagesMax: number): Uint8Array<ArrayBuffer> {
  let position = 8;
  while (position < module.length) {
    const id = module[position];
    const [length, content] = readNumber(module, position + 1);
    if (id === memorySection) {
      // One memory: count, flags (bit 0: a maximum follows), minimum, maximum.
      const [pagesMin] = readNumber(module, content + 2);
      const section = Uint8Array.of(1, 1, ...writeNumber(pagesMin), ...writeNumber(pagesMax));
      return joinBytes([
        module.subarray(0, position),
        Uint8Array.of(memorySection, ...writeNumber(section.length)),
        section,
        module.subarray(content + length),
      ]);
    }
    position = content + length;
  }
  throw new Error('the Parquet library has no memory section');
}

/** LEB128: the number and where it ends. */
function readNumber(bytes: Uint8Array, start: number): [value: number, end: number] {
  let value = 0;
  for (let position = start, shift = 0; ; position++, shift += 7) {
    const byte = bytes[position] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, position + 1];
  }
}

function writeNumber(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}
