/** Backups of a server that is busy: what was acknowledged before one began can be restored from it. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { catalogKeys, objectFiles } from '../../server/test/support/catalog-file.ts';
import type { Child } from '../../server/test/support/child-process.ts';
import { getText, send } from '../../server/test/support/frame-client.ts';
import { Framehold, runFramehold } from '../../server/test/support/framehold-process.ts';
import { sweptAgain } from '../../server/test/support/later-sweep.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { backUp, beginBackup, killedAtObject, restore } from './backup-command.ts';

/** Everything becomes garbage at once, and is looked for all the time. */
const eager = {
  FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '100',
  FRAMEHOLD_FRAMES_VERSIONS_KEEP: '2',
  FRAMEHOLD_FRAMES_UNDROP_HOURS: '0',
};
const csv = { type: 'text/csv' };

function rowsOf(first: number, count: number, value: number): string {
  const rows = Array.from({ length: count }, (_, index) => `${first + index},${value}`);
  return `n,value\n${rows.join('\n')}\n`;
}

/** Runs a server on what was restored. */
async function withRestored(
  directory: string,
  flags: readonly string[],
  check: (server: Framehold) => Promise<void>,
): Promise<void> {
  const home = temporaryFolder('restored');
  const { code, output } = await restore(directory, join(home, 'data'), ...flags);
  assert.equal(code, 0, output);
  const server = await Framehold.start({ home });
  try {
    await check(server);
    await server.stop();
    const verified = await runFramehold(['verify', '--data-dir', server.dataDirectory]);
    assert.equal(verified.code, 0, verified.output);
  } finally {
    await server.remove();
  }
}

/** What callers were told, by name. */
interface Acknowledged {
  version: number;
  rows: number;
}

/** Puts, appends, replaces and drops until it is stopped; says at any time what was acknowledged. */
function startTraffic(server: Framehold) {
  const grown = new Map<string, Acknowledged>();
  const replaced = new Map<string, Acknowledged>();
  let going = true;
  const grow = async (name: string) => {
    for (let rows = 0; going; rows += 50) {
      const append = rows > 0;
      const { json } = await send(
        server.url,
        `/v1/frames/${name}${append ? '/rows' : ''}`,
        rowsOf(rows, 50, 0),
        { ...csv, method: append ? 'POST' : 'PUT', status: append ? 200 : 201 },
      );
      grown.set(name, { version: Number(json.version), rows: rows + 50 });
    }
  };
  const replace = async (name: string) => {
    for (let version = 1; going; version++) {
      const body = rowsOf(0, 2_000, version);
      const { json } = await send(server.url, `/v1/frames/${name}`, body, csv);
      assert.equal(json.version, version);
      replaced.set(name, { version, rows: 2_000 });
    }
  };
  const drop = async (name: string) => {
    for (let count = 0; going; count++) {
      await send(server.url, `/v1/frames/${name}${count}`, rowsOf(0, 2_000, count), { ...csv, status: 201 });
      await fetch(`${server.url}/v1/frames/${name}${count}`, { method: 'DELETE' });
    }
  };
  const ended = Promise.all([grow('grown0'), grow('grown1'), replace('replaced0'), drop('dropped')]);
  return {
    acknowledged: () => structuredClone({ grown, replaced }),
    stop: async () => {
      going = false;
      await ended;
    },
  };
}

async function columnsOf(server: Framehold, name: string): Promise<{ n: number[]; value: number[] }> {
  const { status, text } = await getText(`${server.url}/exp?handle=${name}&fmt=csv`);
  assert.equal(status, 200, text);
  const rows = text.trim().split(/\r?\n/).slice(1);
  const cells = rows.map((row) => row.split(',').map(Number));
  return { n: cells.map(([n]) => n ?? -1), value: cells.map(([, value]) => value ?? -1) };
}

async function versionOf(server: Framehold, name: string): Promise<number> {
  return Number(JSON.parse((await getText(`${server.url}/v1/frames/${name}`)).text).version);
}

const backups = inLongRun(20, 3);

test(`${backups} backups during puts, appends, compactions and drops: each restores what was acknowledged before it began`, async () => {
  const server = await Framehold.start({ env: eager });
  const directory = temporaryFolder('backups');
  const traffic = startTraffic(server);
  try {
    const made: { id: string; before: ReturnType<typeof traffic.acknowledged> }[] = [];
    for (let count = 0; count < backups; count++) {
      await eventually(
        'more was put',
        () => (traffic.acknowledged().replaced.get('replaced0')?.version ?? 0) > 5 * count + 5,
      );
      const before = traffic.acknowledged();
      made.push({ id: (await backUp(server, directory)).id, before });
    }
    await traffic.stop();
    for (const { id, before } of made)
      await withRestored(directory, ['--at', id], async (restored) => {
        for (const [name, told] of before.grown) {
          const { n } = await columnsOf(restored, name);
          assert.ok(n.length >= told.rows, `${name} has ${n.length} rows, acknowledged ${told.rows}`);
          assert.deepEqual(n, [...n.keys()], name);
          assert.equal(await versionOf(restored, name), n.length / 50);
        }
        for (const [name, told] of before.replaced) {
          const version = await versionOf(restored, name);
          assert.ok(version >= told.version, `${name}@${version}, acknowledged ${told.version}`);
          assert.deepEqual([...new Set((await columnsOf(restored, name)).value)], [version]);
        }
      });
    const verified = await runFramehold(['backup', 'verify', directory]);
    assert.equal(verified.code, 0, verified.output);
  } finally {
    await traffic.stop().catch(() => {});
    await server.remove();
    removeFolder(directory);
  }
});

test('what is dropped while a backup copies it stays in the store until it is copied, and goes then', async () => {
  const server = await Framehold.start({ env: eager });
  const directory = temporaryFolder('backups');
  let backup: Child | undefined;
  try {
    const names = Array.from({ length: 40 }, (_, index) => `frame${index}`);
    for (const [index, name] of names.entries())
      await send(server.url, `/v1/frames/${name}`, rowsOf(0, 20_000, index), { ...csv, status: 201 });
    backup = beginBackup(server.dataDirectory, directory);
    // SQLite makes the file before it begins to read: what is dropped is in the copy, too, unless something is written.
    await backup.until('a copy of the catalog', () => {
      const file = statSync(join(directory, 'unfinished', 'catalog.sqlite'), { throwIfNoEntry: false });
      return (file?.size ?? 0) > 0 ? true : null;
    });
    backup.signal('SIGSTOP');
    const copied = objectFiles(directory).keys.length;
    for (const name of names) await fetch(`${server.url}/v1/frames/${name}`, { method: 'DELETE' });
    const { garbage } = catalogKeys(server.dataDirectory);
    assert.ok(garbage.length >= names.length, `${garbage.length} objects are garbage`);
    assert.ok(copied < garbage.length, `${copied} objects were copied before it was stopped`);
    await sweptAgain({ framehold: server, url: server.url });
    const files = new Set(objectFiles(server.dataDirectory).keys);
    assert.deepEqual(
      garbage.filter((key) => !files.has(key)),
      [],
    );
    backup.signal('SIGCONT');
    const exit = await eventuallyEnded(backup);
    assert.deepEqual(exit, { code: 0, signal: null }, backup.tail());
    await server.until('collected', () =>
      objectFiles(server.dataDirectory).keys.length === 0 ? true : null,
    );
    await withRestored(directory, [], async (restored) => {
      for (const [index, name] of names.entries())
        assert.deepEqual([...new Set((await columnsOf(restored, name)).value)], [index]);
    });
  } finally {
    await backup?.stop('SIGKILL');
    await server.remove();
    removeFolder(directory);
  }
});

async function eventuallyEnded(child: Child) {
  await eventually('it has ended', () => child.exit !== null);
  return child.exit;
}

test('a backup killed with -9 at any point leaves earlier ones as they were, and the next one continues', async () => {
  const server = await Framehold.start();
  const directory = temporaryFolder('backups');
  try {
    await send(server.url, '/v1/frames/first', rowsOf(0, 10, 1), { ...csv, status: 201 });
    const first = await backUp(server, directory);
    const names = Array.from({ length: 60 }, (_, index) => `frame${index}`);
    for (const [index, name] of names.entries())
      await send(server.url, `/v1/frames/${name}`, rowsOf(0, 20_000, index), { ...csv, status: 201 });
    let copied = objectFiles(directory).keys.length;
    for (const wanted of [1, 15, 20]) {
      await killedAtObject(wanted, {}, 'backup', directory, '--data-dir', server.dataDirectory);
      const { lines } = await runFramehold(['backup', 'list', directory, '--json']);
      const { backups } = JSON.parse(lines.at(-1) ?? '') as { backups: { id: string }[] };
      assert.deepEqual(
        backups.map(({ id }) => id),
        [first.id],
      );
      const now = objectFiles(directory).keys.length;
      assert.ok(now >= copied + wanted, 'nothing that was copied is lost');
      copied = now;
    }
    const last = await backUp(server, directory);
    assert.ok(last.objects >= names.length + 1);
    assert.equal(last.copiedObjects, objectFiles(directory).keys.length - copied);
    assert.ok(last.copiedObjects < last.objects - 35, 'it continued');
    await withRestored(directory, [], async (restored) => {
      for (const [index, name] of names.entries())
        assert.deepEqual([...new Set((await columnsOf(restored, name)).value)], [index]);
    });
    await withRestored(directory, ['--at', first.id], async (restored) => {
      assert.equal((await columnsOf(restored, 'first')).n.length, 10);
      assert.equal((await getText(`${restored.url}/v1/frames/frame0`)).status, 404);
    });
  } finally {
    await server.remove();
    removeFolder(directory);
  }
});
