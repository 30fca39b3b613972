import { join } from 'node:path';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the page works under any path that a proxy puts before it.
  base: './',
  oxc: { jsx: { importSource: 'preact' } },
  // The client's sources: nothing has to be built first.
  resolve: { alias: { '@framehold/client': join(import.meta.dirname, '../client/src/index.ts') } },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // An inlined asset is a data: URL, which the policy allows for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // On a busy machine it would tell whoever starts the server about plugins.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
