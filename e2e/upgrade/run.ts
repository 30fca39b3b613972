/**
 * The release before, and this one after it: in a data directory, over PostgreSQL and S3, both beside each other there, and moved from one to the other.
 *   npm run test:upgrade -- --old DIRECTORY     a checkout of the release before, built with `npm ci` and `npm run build`
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { parseArgs } from 'node:util';
import {
  builtCommand,
  Framehold,
  type FrameholdOptions,
  runFramehold,
} from '../../server/test/support/framehold-process.ts';
import { PostgresServer } from '../../server/test/support/postgres-server.ts';
import { type S3Server, startS3 } from '../../server/test/support/s3-server.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { assertSeen, Tenant } from './contents.ts';

type Command = readonly [string, ...string[]];

const { values } = parseArgs({ options: { old: { type: 'string' } } });
if (values.old === undefined)
  throw new Error('--old DIRECTORY is missing: a built checkout of the release before');
const old: Command = [process.execPath, join(resolve(values.old), 'server', 'dist', 'main.js')];
for (const [, script] of [old, builtCommand])
  if (script === undefined || !existsSync(script))
    throw new Error(`${script} is missing: run npm run build there`);

let postgres: PostgresServer;
let s3: S3Server;
const folder = temporaryFolder('upgrade');
const servers: Framehold[] = [];

before(async () => {
  [postgres, s3] = await Promise.all([PostgresServer.start(), startS3()]);
});
after(async () => {
  for (const server of servers) await server.remove();
  await Promise.all([postgres.stop(), s3.stop()]);
  removeFolder(folder);
});

interface Place {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function sharedPlace(): Promise<Place> {
  const catalog = await postgres.newDatabase();
  const bucket = await s3.newBucket();
  return {
    flags: [
      '--catalog-url',
      catalog,
      '--storage-url',
      `s3://${bucket}/frames`,
      '--storage-s3-endpoint',
      s3.endpoint,
    ],
    env: s3.env,
  };
}

/** However a test ends, it is removed in the end. */
function prepared(options: FrameholdOptions): Framehold {
  const server = Framehold.prepare(options);
  servers.push(server);
  return server;
}

async function started(options: FrameholdOptions): Promise<Framehold> {
  const server = prepared(options);
  await server.start();
  return server;
}

/** A token that this command has made, for a catalog that it may create. */
function tokenOf(command: Command, flags: readonly string[], env: Place['env'] = {}): string {
  const [program, ...words] = command;
  const make = [
    'token',
    'create',
    '--tenant',
    'acme',
    '--scope',
    'read,write,admin',
    '--ttl',
    '1h',
    '--json',
  ];
  const text = execFileSync(program, [...words, ...make, ...flags], {
    encoding: 'utf8',
    env: { HOME: folder, PATH: process.env.PATH ?? '', ...env },
  });
  return String((JSON.parse(text) as { token: unknown }).token);
}

/** Ends it as an update does, or as a loss of power does. */
const ends = { stopped: 'stop', killed: 'kill' } as const;

for (const [how, end] of Object.entries(ends) as [keyof typeof ends, 'stop' | 'kill'][])
  test(`a data directory whose server was ${how}: everything is there, goes on, is verified, and can be moved`, async () => {
    const first = prepared({ command: old });
    const tenant = new Tenant(tokenOf(old, ['--data-dir', first.dataDirectory]));
    await first.start();
    await tenant.fill(first.url);
    const seen = await tenant.seen(first.url);
    await first[end]();

    const second = await started({ home: first.home, command: builtCommand });
    assertSeen(await tenant.seen(second.url), seen, 'after the update');
    await tenant.goOn(second.url);
    const later = await tenant.seen(second.url);
    await second.stop();
    await assertRuns('verify', '--data-dir', second.dataDirectory);

    const place = await sharedPlace();
    await assertRunsAt(place, 'migrate', 'from', second.dataDirectory);
    const node = await started({ command: builtCommand, ...place });
    assertSeen(await tenant.seen(node.url), later, 'after the move');
    await node.stop();
    await assertRunsAt(place, 'verify');
  });

test('a data directory of the release before is moved as it is', async () => {
  const first = prepared({ command: old });
  const tenant = new Tenant(tokenOf(old, ['--data-dir', first.dataDirectory]));
  await first.start();
  await tenant.fill(first.url);
  const seen = await tenant.seen(first.url);
  await first.stop();
  const place = await sharedPlace();
  await assertRunsAt(place, 'migrate', 'from', first.dataDirectory);
  const node = await started({ command: builtCommand, ...place });
  assertSeen(await tenant.seen(node.url), seen, 'after the move');
  await tenant.goOn(node.url);
  await node.stop();
});

test('nodes of both releases share a catalog and a bucket, and the last one of the release before can go', async () => {
  const place = await sharedPlace();
  const first = await started({ command: old, ...place });
  const tenant = new Tenant(tokenOf(old, place.flags.slice(0, 2), place.env));
  await tenant.fill(first.url);
  const seen = await tenant.seen(first.url);

  const second = await started({ command: builtCommand, ...place });
  assertSeen(await tenant.seen(second.url), seen, 'the new node');
  assertSeen(await tenant.seen(first.url), seen, 'the old node beside it');
  for (const [writer, reader] of [
    [first, second],
    [second, first],
    [first, second],
  ] as const) {
    const name = `both-${writer === first ? 'old' : 'new'}`;
    await tenant.text(writer.url, 'PUT', `/v1/frames/${name}`, `n\n${Date.now()}\n`);
    for (let round = 0; round < 5; round++) {
      const other = round % 2 === 0 ? reader : writer;
      await tenant.text(other.url, 'POST', `/v1/frames/${name}/rows`, `n\n${round}\n`);
    }
    for (const path of [`/v1/frames/${name}/rows?fmt=csv`, `/v1/sql?query=from+%22${name}%22&fmt=csv`])
      assert.equal(
        await tenant.text(reader.url, 'GET', path),
        await tenant.text(writer.url, 'GET', path),
        path,
      );
  }
  const later = await tenant.seen(first.url);
  await first.stop();
  assertSeen(await tenant.seen(second.url), later, 'after the old node');
  await tenant.goOn(second.url);
  await second.stop();
  await assertRunsAt(place, 'verify');
});

async function assertRuns(...words: readonly string[]): Promise<void> {
  const { code, output } = await runFramehold(words, { command: builtCommand });
  assert.equal(code, 0, `${words.join(' ')}: ${output}`);
}

async function assertRunsAt({ flags, env }: Place, ...words: readonly string[]): Promise<void> {
  const all = [...words, ...flags, ...(words[0] === 'migrate' ? ['--data-dir', join(folder, 'moved')] : [])];
  const { code, output } = await runFramehold(all, { command: builtCommand, env });
  assert.equal(code, 0, `${words.join(' ')}: ${output}`);
}
