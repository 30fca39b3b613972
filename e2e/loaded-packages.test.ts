/** A server with a disk needs nothing of what many nodes need. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Cluster } from '../server/test/support/cluster/cluster.ts';
import { exec, putFrame } from '../server/test/support/frame-client.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { arrowBytes } from '../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../server/test/support/temporary-folder.ts';

const notes = join(import.meta.dirname, '..', 'server', 'test', 'support', 'note-modules.ts');

/** Puts, reads and asks with SQL, and returns the packages that were loaded for it. */
async function packagesLoaded(use: (env: Record<string, string>) => Promise<void>): Promise<Set<string>> {
  const folder = temporaryFolder('noted');
  const file = join(folder, 'modules');
  try {
    await use({ NOTED_MODULES: file });
    return new Set(readFileSync(file, 'utf8').trim().split('\n').flatMap(packagesIn));
  } finally {
    removeFolder(folder);
  }
}

/** The package that a module belongs to; of a bundle, all that its source map names. */
function packagesIn(url: string): string[] {
  const map = `${fileURLToPath(url)}.map`;
  const sources = existsSync(map)
    ? (JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] }).sources
    : [url];
  return sources.flatMap((source) => {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(source) ?? [];
    return name === undefined ? [] : [name];
  });
}

async function putAndRead(url: string): Promise<void> {
  const { frame } = await arrowBytes({ frame: "pa.table({'a': [1, 2, 3]})" });
  await putFrame(url, 'frame', frame);
  assert.equal((await exec(url, { handle: 'frame', fmt: 'json' })).status, 200);
  const answer = await fetch(`${url}/v1/sql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql: 'SELECT sum(a) AS s FROM frame' }),
  });
  assert.equal(answer.status, 200, await answer.text());
}

/** Each is loaded when it is first needed. */
const neededLater = ['pg', '@aws-sdk/client-s3', 'antlr4ng', 'undici', 'jose', '@fastify/swagger'];

const isOfNodes = (name: string) => name === 'pg' || name.startsWith('pg-') || name.startsWith('@aws-sdk/');

test('a server with a disk loads neither PostgreSQL, AWS, the parser of Spark SQL nor what else few servers need', async () => {
  const loaded = await packagesLoaded(async (env) => {
    const framehold = await Framehold.start({ imports: [notes], env });
    try {
      await putAndRead(framehold.url);
    } finally {
      await framehold.remove();
    }
  });
  assert.ok(loaded.has('fastify'), 'the packages are noted');
  assert.deepEqual([...loaded].filter(isOfNodes), []);
  assert.deepEqual(
    neededLater.filter((name) => loaded.has(name)),
    [],
  );
});

test('a node loads both', async () => {
  const loaded = await packagesLoaded(async (env) => {
    const cluster = await Cluster.start({ nodes: 1, imports: [notes], env });
    try {
      await putAndRead(cluster.url);
    } finally {
      await cluster.remove();
    }
  });
  assert.ok(loaded.has('pg'));
  assert.ok(loaded.has('@aws-sdk/client-s3'));
});
