import { registerHooks } from 'node:module';

/** What knows of the Parquet library, and the library: after a trap all of it is loaded anew, as a fresh thread would, at a tenth of the cost. */
const renewed = /\/(?:src\/parquet|src\/settle|test\/fuzz)\/[^?]*\.ts$|\/parquet-wasm\/esm\/[^?]*\.js$/;

let generation = 0;

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    return renewed.test(resolved.url) ? { ...resolved, url: `${resolved.url}?${generation}` } : resolved;
  },
});

/** The targets with a Parquet library that nothing has happened to. */
export async function renewTargets(): Promise<typeof import('./targets.ts')> {
  generation++;
  return await import('./targets.ts');
}
