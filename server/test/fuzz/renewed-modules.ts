import { registerHooks } from 'node:module';

/** The Parquet library and what looks at its errors: after a trap all of it is loaded anew, as a fresh thread would, at a tenth of the cost. */
const renewed = new RegExp(
  [
    '/src/parquet/[^/?]*\\.ts$',
    '/src/(?:decode|transcode)/(?:[a-z-]+/)*(?:decode-upload|transcode-part|parquet)\\.ts$',
    '/test/fuzz/targets\\.ts$',
  ].join('|'),
);

let generation = 0;

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    return renewed.test(resolved.url) ? { ...resolved, url: `${resolved.url}?${generation}` } : resolved;
  },
});

type ModuleMaker = new (bytes: Uint8Array) => object;
const { WebAssembly: assembly } = globalThis as unknown as { readonly WebAssembly: { Module: ModuleMaker } };
const compiled = new Map<number, object>();

/** The library is the same each time: to compile it once is enough. */
assembly.Module = new Proxy(assembly.Module, {
  construct(Module, [bytes]: [Uint8Array]) {
    const known = compiled.get(bytes.length) ?? new Module(bytes);
    compiled.set(bytes.length, known);
    return known;
  },
});

/** The targets with a Parquet library that nothing has happened to. */
export async function renewTargets(): Promise<typeof import('./targets.ts')> {
  generation++;
  return await import('./targets.ts');
}
