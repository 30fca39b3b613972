/** A data directory moved to PostgreSQL and a bucket, served there, and moved back. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import pg from 'pg';
import {
  accessTables,
  catalogTables,
  columnNames,
  historyTable,
} from '../../server/src/commands/migrate/tables.ts';
import { catalogFaults, catalogKeys } from '../../server/test/support/catalog-file.ts';
import { Child } from '../../server/test/support/child-process.ts';
import { CommitCutter } from '../../server/test/support/cluster/commit-cutter.ts';
import { getText } from '../../server/test/support/frame-client.ts';
import { Framehold, runFramehold, serverCommand } from '../../server/test/support/framehold-process.ts';
import { frameholdTenant, newToken } from '../../server/test/support/framehold-tokens.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { PostgresServer } from '../../server/test/support/postgres-server.ts';
import { type S3Server, startS3 } from '../../server/test/support/s3-server.ts';
import { flipBit, objectPath, objectsOf } from '../../server/test/support/stored-objects.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { killedAtObject } from './backup-command.ts';

let postgres: PostgresServer;
let s3: S3Server;
let source: Framehold;
let token: string;
let link: string;
const folder = temporaryFolder('migrate');
const frames = 30;

before(async () => {
  [postgres, s3] = await Promise.all([PostgresServer.start(), startS3()]);
  source = Framehold.prepare({
    flags: ['--postgres-bind-address', '127.0.0.1:0', '--postgres-allow-plaintext', 'true'],
  });
  token = newToken(source.dataDirectory, 'acme', 'read,write,admin');
  frameholdTenant(source.dataDirectory, 'set', 'acme', '--queries-max', '7');
  await source.start();
  await fill(source.url);
  await askPostgres(source.postgresUrl);
  await source.stop();
});
after(async () => {
  await source.remove();
  await Promise.all([postgres.stop(), s3.stop()]);
  removeFolder(folder);
});

async function ask(url: string, method: string, path: string, body?: string, type = 'text/csv') {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text;
}

/** Something in every table that is copied. */
async function fill(url: string): Promise<void> {
  const rows = (from: number, count: number) =>
    `n,word\n${Array.from({ length: count }, (_, index) => `${from + index},wörd ${from + index}`).join('\n')}\n`;
  for (let index = 0; index < frames; index++)
    await ask(url, 'PUT', `/v1/frames/frame${index}`, rows(index, 2_000));
  for (let count = 0; count < 5; count++) await ask(url, 'POST', '/v1/frames/frame0/rows', rows(count, 50));
  for (let count = 0; count < 14; count++) await ask(url, 'PUT', '/v1/frames/replaced', rows(count, 10));
  for (const [name, versionsKeep] of [
    ['frame1', 3],
    ['frame2', 100],
  ])
    await ask(url, 'PATCH', `/v1/frames/${name}`, JSON.stringify({ versionsKeep }), 'application/json');
  for (const name of ['frame0', 'frame1'])
    await ask(url, 'PATCH', `/v1/frames/${name}/notes`, '{"description":"Wörds"}', 'application/json');
  await ask(url, 'DELETE', '/v1/frames/frame1');
  await ask(url, 'PUT', '/v1/frames/frame0@2/tags/gold');
  await ask(url, 'PUT', '/v1/frames/frame2/shares/other');
  await ask(url, 'PUT', '/v1/saved-queries/count', '{"sql":"select 1"}', 'application/json');
  await ask(url, 'POST', '/v1/sql', 'select sum(n) from frame3', 'application/sql');
  await ask(url, 'GET', '/v1/frames/frame4/statistics');
  const made = JSON.parse(await ask(url, 'POST', '/v1/frames/frame5/links', '{}', 'application/json'));
  const { pathname, search } = new URL(made.url);
  link = pathname + search;
  await eventually('the statement is in the history', async () =>
    (await ask(url, 'GET', '/v1/history')).includes('sum(n)'),
  );
}

/** Frames get their numbers of PostgreSQL's catalogs when a client first asks. */
async function askPostgres({ hostname, port }: URL): Promise<void> {
  const client = new pg.Client({ host: hostname, port: Number(port), user: 'reader', password: token });
  await client.connect();
  await client.query('SELECT oid FROM pg_class');
  await client.end();
}

/** Every row of every table that is copied. */
function rowsIn(dataDirectory: string): Record<string, unknown[]> {
  const all: Record<string, unknown[]> = {};
  for (const [file, tables] of [
    ['catalog.sqlite', [...catalogTables, historyTable]],
    ['credentials.sqlite', accessTables],
  ] as const) {
    const db = new DatabaseSync(join(dataDirectory, file), { readOnly: true });
    for (const table of tables) {
      // The migration leaves its own attempt, as any change does. Numbers of the history are new.
      const where = table.name === 'attempts' ? "WHERE id NOT LIKE 'migrate:%'" : '';
      const columns = columnNames(table).filter((name) => table !== historyTable || name !== 'id');
      all[table.name] = db
        .prepare(`SELECT ${columns} FROM ${table.name} ${where} ORDER BY ${table.order}`)
        .all();
    }
    for (const table of file === 'catalog.sqlite' ? ['tenants', 'event_heads', 'scrub', 'counters'] : [])
      all[table] = db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all();
    db.close();
  }
  return all;
}

function hashesIn(dataDirectory: string): string[] {
  return catalogKeys(dataDirectory).live.map((key) => {
    const bytes = readFileSync(objectPath(dataDirectory, key));
    return `${key} ${createHash('sha256').update(bytes).digest('hex')}`;
  });
}

interface Place {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function newPlace(name: string): Promise<Place> {
  const flags = [
    '--catalog-url',
    await postgres.newDatabase(),
    '--storage-url',
    `s3://${await s3.newBucket()}/frames`,
  ];
  return {
    flags: [...flags, '--storage-s3-endpoint', s3.endpoint, '--data-dir', join(folder, name)],
    env: s3.env,
  };
}

function begin({ flags, env }: Place, ...words: readonly string[]): Child {
  const [command, ...args] = serverCommand;
  return new Child({ command, args: [...args, ...words, ...flags], env: { HOME: folder, ...env } });
}

async function run(place: Place, ...words: readonly string[]) {
  return await runFramehold([...words, ...place.flags], { env: place.env });
}

function copyOf(dataDirectory: string, name: string): string {
  cpSync(dataDirectory, join(folder, name), { recursive: true });
  return join(folder, name);
}

test('there and back again, every row and every object is the same; the nodes in between serve it', async () => {
  const directory = copyOf(source.dataDirectory, 'one');
  const place = await newPlace('node');
  const there = await run(place, 'migrate', 'from', directory);
  assert.equal(there.code, 0, there.output);
  const before = rowsIn(directory);
  for (const [table, rows] of Object.entries(before))
    if (!['damaged', 'removed_objects', 'logs', 'merges_due', 'idempotency'].includes(table))
      assert.ok(rows.length > 0, `the test has rows in ${table}`);

  const back = await run(place, 'migrate', 'to', join(folder, 'back'));
  assert.equal(back.code, 0, back.output);
  assert.deepEqual(rowsIn(join(folder, 'back')), before);
  assert.deepEqual(hashesIn(join(folder, 'back')), hashesIn(directory));
  assert.deepEqual(catalogFaults(join(folder, 'back')), []);
  assert.deepEqual(
    readFileSync(join(folder, 'back', 'links.key')),
    readFileSync(join(directory, 'links.key')),
  );
  const verified = await runFramehold(['verify', '--data-dir', join(folder, 'back')]);
  assert.equal(verified.code, 0, verified.output);

  const again = await runFramehold(['server', '--data-dir', directory]);
  assert.equal(again.code, 1);
  assert.match(again.output, /was migrated to a catalog in PostgreSQL.*migrated\.json/);
});

test('nodes serve what was migrated: rows, versions, links, tokens and limits', async () => {
  const directory = copyOf(source.dataDirectory, 'two');
  const place = await newPlace('node2');
  const there = await run(place, 'migrate', 'from', directory);
  assert.equal(there.code, 0, there.output);
  await source.start();
  const node = await Framehold.start({ flags: place.flags.slice(0, -2), env: { ...place.env } });
  try {
    for (const path of [
      '/v1/frames/frame0/rows?fmt=csv',
      '/v1/frames/replaced@13/rows?fmt=csv',
      '/v1/frames/frame7',
    ])
      assert.equal(await ask(node.url, 'GET', path), await ask(source.url, 'GET', path), path);
    const linked = await getText(`${node.url}${link}&fmt=csv`);
    assert.equal(linked.status, 200, linked.text);
    assert.match(await ask(node.url, 'GET', '/v1/saved-queries'), /count/);
    const busy = await run(place, 'migrate', 'to', join(folder, 'never'));
    assert.equal(busy.code, 1);
    assert.match(busy.output, /Nodes use the catalog: /);
    await ask(node.url, 'PUT', '/v1/frames/new', 'a\n1\n');
    assert.equal(JSON.parse(await ask(node.url, 'PUT', '/v1/frames/replaced', 'a\n1\n')).version, 15);
    const verified = await run(place, 'verify');
    assert.equal(verified.code, 0, verified.output);
  } finally {
    await node.remove();
    await source.stop();
  }
});

test('killed with -9 while it copies, in either direction, it is run again and ends the same', async () => {
  const directory = copyOf(source.dataDirectory, 'three');
  const before = rowsIn(directory);
  const place = await newPlace('node3');
  for (const wanted of [1, 10]) {
    const first = begin(place, 'migrate', 'from', directory, '--json');
    await first.until('some objects', async () => ((await objectCount(place)) >= wanted ? true : null));
    await first.stop('SIGKILL');
  }
  const server = await runFramehold(['verify', '--data-dir', directory]);
  assert.equal(server.code, 0, 'the directory is as it was');
  const there = await run(place, 'migrate', 'from', directory, '--json');
  assert.equal(there.code, 0, there.output);
  const report = JSON.parse(there.lines.at(-1) ?? '') as { objects: number; copiedObjects: number };
  assert.ok(report.copiedObjects <= report.objects - 10, there.output);

  const target = join(folder, 'back3');
  await killedAtObject(5, place.env, 'migrate', 'to', target, ...place.flags);
  const refused = await runFramehold(['server', '--data-dir', target]);
  assert.match(refused.output, /is not complete: filling it was interrupted/);
  const back = await run(place, 'migrate', 'to', target);
  assert.equal(back.code, 0, back.output);
  assert.deepEqual(rowsIn(target), before);
  assert.deepEqual(hashesIn(target), hashesIn(directory));
});

test('a damaged object, a used catalog and a foreign bucket stop it before anything is changed', async () => {
  const directory = copyOf(source.dataDirectory, 'four');
  const place = await newPlace('node4');
  const [key = ''] = objectsOf(directory, 'frame9').arrow;
  flipBit(objectPath(directory, key), 0.5);
  const damaged = await run(place, 'migrate', 'from', directory);
  assert.equal(damaged.code, 1);
  assert.match(damaged.output, new RegExp(`corrupt: ${key}`));
  flipBit(objectPath(directory, key), 0.5);
  const there = await run(place, 'migrate', 'from', directory);
  assert.equal(there.code, 0, there.output);

  const other = copyOf(source.dataDirectory, 'five');
  writeFileSync(join(other, 'format.json'), '{"layout":1,"id":"another"}\n');
  writeFileSync(join(other, 'cold', 'format.json'), '{"layout":1,"id":"another"}\n');
  const used = await run(place, 'migrate', 'from', other);
  assert.equal(used.code, 1);
  assert.match(used.output, /has frames already/);
  const elsewhere = { ...place, flags: [...place.flags] };
  elsewhere.flags[1] = await postgres.newDatabase();
  const foreign = await run(elsewhere, 'migrate', 'from', other);
  assert.equal(foreign.code, 1);
  assert.match(foreign.output, /The object store belongs to another catalog/);
});

test('the reply to the COMMIT of a migration is lost: run again, it finds that it was made', async () => {
  const directory = copyOf(source.dataDirectory, 'seven');
  const place = await newPlace('node7');
  const [, url = '', ...others] = place.flags;
  const cutter = await CommitCutter.before(url);
  try {
    const flags = ['--catalog-url', cutter.through(url), ...others];
    cutter.cutNext((texts) => texts.some((text) => text.includes('INSERT INTO names')));
    const lost = await run({ ...place, flags }, 'migrate', 'from', directory);
    assert.equal(cutter.cut, 1, lost.output);
    assert.equal(lost.code, 1, lost.output);
  } finally {
    await cutter.stop();
  }
  const again = await run(place, 'migrate', 'from', directory);
  assert.equal(again.code, 0, again.output);
  assert.match(again.output, /It had been migrated before/);
  const back = await run(place, 'migrate', 'to', join(folder, 'back7'));
  assert.equal(back.code, 0, back.output);
  assert.deepEqual(rowsIn(join(folder, 'back7')), rowsIn(directory));
});

test('accept-restore lets a catalog count that is behind its bucket, and only then', async () => {
  const directory = copyOf(source.dataDirectory, 'six');
  const place = await newPlace('node6');
  const there = await run(place, 'migrate', 'from', directory);
  assert.equal(there.code, 0, there.output);
  const sound = await run(place, 'accept-restore');
  assert.equal(sound.code, 0, sound.output);
  assert.match(sound.output, /there is nothing to accept/);
  // As if PostgreSQL had been restored to an earlier moment.
  const [url = ''] = place.flags.slice(1);
  const [state] = await postgres.query('SELECT catalog_id FROM catalog_state', url);
  const identity = { Bucket: new URL(place.flags[3] ?? '').host, Key: 'frames/framehold.json' };
  const client = s3.client();
  await client.send(
    new PutObjectCommand({ ...identity, Body: JSON.stringify({ catalogId: state?.catalog_id, epoch: 41 }) }),
  );
  client.destroy();
  const accepted = await run(place, 'accept-restore');
  assert.equal(accepted.code, 0, accepted.output);
  assert.deepEqual(await postgres.query('SELECT epoch::int FROM catalog_state', url), [{ epoch: 42 }]);
  assert.match((await run(place, 'accept-restore')).output, /there is nothing to accept/);
});

async function objectCount({ flags }: Place): Promise<number> {
  const bucket = new URL(flags[3] ?? '').host;
  const client = s3.client();
  try {
    const { KeyCount = 0 } = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: 'frames/acme/' }),
    );
    return KeyCount;
  } finally {
    client.destroy();
  }
}
