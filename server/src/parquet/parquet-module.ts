import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { joinBytes } from '../arrow/join-bytes.ts';
import { bundledFile } from '../base/package-files.ts';
import { hasTrapped, isTrap, ParquetFault, parquetFault } from './parquet-fault.ts';

/**
 * The Parquet library (arrow-rs as WebAssembly). Its calls block for as long as they work, so it belongs into workers; its memory only grows, so a
 * thread that handled much should end after it, or renew it.
 */
export type ParquetModule = typeof import('parquet-wasm/esm');

/**
 * The most memory that the library may take in one thread. Runs and row groups of a usual size need a tenth of it, 10,000 columns with zstd
 * two thirds, because each has a decompressor; what needs more is a row group of gigabytes or an attack, and fails in its own thread
 * instead of starving the server.
 */
const memoryBytesMax = 1536 * 1024 * 1024;
/** Left when memory is reserved: an allocation that fails ends the library. */
const spareBytes = 64 * 1024 * 1024;
const alignment = 8;
const pageBytes = 64 * 1024;
const memorySection = 5;

/** Node's types leave it to those of browsers. */
const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Assembly }).WebAssembly;

interface Assembly {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Allocator };
}

let prepared: (() => ParquetModule) | null = null;
let instance: ParquetModule | null = null;
let allocator: Allocator | null = null;

/** What the library's own JavaScript uses to pass bytes in. */
interface Allocator {
  __wbindgen_malloc(bytes: number, alignment: number): number;
  __wbindgen_free(address: number, bytes: number, alignment: number): void;
}

export function parquetModule(): ParquetModule {
  if (hasTrapped()) throw new ParquetFault('the Parquet library gave up earlier in this thread', true, null);
  prepared ??= prepare();
  instance ??= prepared();
  return instance;
}

/**
 * Whatever is read next meets a library that nothing has happened to: with a memory and with state of its own. Its code stays compiled, which takes
 * longer than to read some ten megabytes. What the library gave before may not be used any more.
 */
export function renewParquet(): void {
  instance = null;
  // It would keep the memory of the old one.
  allocator = null;
}

/** What makes instances of the library. */
function prepare(): () => ParquetModule {
  process.on('uncaughtException', onUncaught);
  const bytes = readFileSync(libraryFile('parquet_wasm_bg.wasm', 'parquet-wasm/node/parquet_wasm_bg.wasm'));
  const compiled = new Module(limitMemory(bytes, memoryBytesMax / pageBytes));
  // An ES module has its state once in a thread and for good. A CommonJS module is a function, and each call makes another;
  // this one compiles the library from a file, and gets instead what is compiled already.
  const filename = libraryFile('parquet_wasm.js', 'parquet-wasm/node');
  const parameters = ['exports', 'require', '__dirname', 'WebAssembly'];
  const make = compileFunction(readFileSync(filename, 'utf8'), parameters, { filename });
  const noFiles = () => ({ readFileSync: () => null });
  const assembly = {
    Instance: function Made(module: object, imports: object) {
      const made = new Instance(module, imports);
      allocator = made.exports;
      return made;
    },
    Module: function Compiled() {
      return compiled;
    },
  };
  return () => {
    const exports = {};
    make(exports, noFiles, '', assembly);
    return exports as ParquetModule;
  };
}

/**
 * Lets the memory of the library grow once for what it is about to allocate. By itself it grows by 64 KiB each time, and V8 collects garbage again and
 * again: most of the time that many columns took.
 */
export function reserveMemory(bytes: number): void {
  const free = memoryBytesMax - parquetModule().wasmMemory().buffer.byteLength;
  if (allocator === null || bytes > free - spareBytes) return;
  allocator.__wbindgen_free(allocator.__wbindgen_malloc(bytes, alignment), bytes, alignment);
}

/** The build copies the two files that are used: the library has them three times, for other environments. */
function libraryFile(name: string, specifier: string): string {
  return fileURLToPath(bundledFile(`parquet-wasm/${name}`) ?? import.meta.resolve(specifier));
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
