import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { temporaryFolder } from './temporary-folder.ts';

/** Names the page that it runs in, so that a test sees which one a browser has opened. */
export const sampleScript = "document.body.dataset.opened = location.pathname; // the sample's script\n";
export const samplePage = `<!doctype html><html lang="en"><title>Console</title>
<link rel="stylesheet" crossorigin href="./assets/main-b2.css">
<script type="module" crossorigin src="./assets/main-a1.js"></script>
<body></body></html>
`;

/** A folder with a console as its build leaves it: a page, a script and a style, with their compressed copies. */
export function sampleConsole(): string {
  const folder = temporaryFolder('console');
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), samplePage);
  const assets = { 'main-a1.js': sampleScript, 'main-b2.css': 'body { color: rgb(1, 2, 3) }\n' };
  for (const [name, text] of Object.entries(assets)) {
    writeFileSync(join(folder, 'assets', name), text);
    writeFileSync(join(folder, 'assets', `${name}.br`), brotliCompressSync(text));
    writeFileSync(join(folder, 'assets', `${name}.gz`), gzipSync(text));
  }
  return folder;
}
