import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { knownMigrations, newestOf } from '../../server/src/postgres/migrations.ts';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import type { ClusterNode } from '../../server/test/support/cluster/cluster-node.ts';
import { Traffic } from '../../server/test/support/cluster/fault-traffic.ts';
import { readNumbers } from '../../server/test/support/cluster/numbers.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { getText } from '../../server/test/support/frame-client.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { repositoryRoot, serverFolder } from '../../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const known = newestOf(knownMigrations());
const runsWith = Math.max(...knownMigrations().map((each) => each.runsWith));
const folder = temporaryFolder('releases');

/** A release as it would be installed: this build under another version, and migrations that come after those it has. */
function release(version: string, migrations: Readonly<Record<string, string>>): readonly [string, string] {
  const server = join(folder, version, 'server');
  mkdirSync(server, { recursive: true });
  cpSync(join(serverFolder, 'dist'), join(server, 'dist'), { recursive: true });
  const text = readFileSync(join(serverFolder, 'package.json'), 'utf8');
  writeFileSync(join(server, 'package.json'), JSON.stringify({ ...JSON.parse(text), version }));
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, version, 'node_modules'));
  for (const [file, text] of Object.entries(migrations))
    writeFileSync(join(server, 'dist', 'migrations', file), text);
  return [process.execPath, join(server, 'dist', 'main.js')];
}

function fileOf(number: number, name: string): string {
  return `${String(number).padStart(4, '0')}-${name}.sql`;
}

/** Adds, and all releases that could use the tables before go on with them. */
const expand = {
  [fileOf(known + 1, 'expand')]: `-- runs-with: ${runsWith}
ALTER TABLE names ADD COLUMN described text;
ALTER TABLE parts ADD COLUMN touched_at bigint NOT NULL DEFAULT 0;
CREATE INDEX parts_touched ON parts (touched_at) WHERE touched_at > 0;
`,
};
/** Takes away what that release still knew. */
const contract = {
  ...expand,
  [fileOf(known + 2, 'contract')]: `-- runs-with: ${known + 2}
ALTER TABLE names DROP COLUMN described;
`,
};

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start({ nodes: 3 });
});
after(async () => {
  await cluster?.remove();
  removeFolder(folder);
});

const lastMigration = async () =>
  (await cluster.query<{ max: number }>('SELECT max(number) FROM migrations'))[0]?.max;

/** One by one, as a rolling upgrade does it: the new one serves before the old one is stopped. */
async function replaceNodes(command: readonly [string, string]): Promise<void> {
  const before: ClusterNode[] = [...cluster.nodes];
  for (const old of before) {
    const next = await cluster.addNode({ command });
    await next.start();
    await old.stop();
  }
}

test('nodes are replaced one by one while tables are expanded: no request fails, and each says which release it is', async (t) => {
  const traffic = new Traffic([cluster.url], 'rolling');
  await eventually('the traffic runs', () => (traffic.statuses.get(200) ?? 0) > 20);
  await replaceNodes(release('98.0.0', expand));
  assert.equal(await lastMigration(), known + 1);
  assert.deepEqual(
    await cluster.query("SELECT DISTINCT release, migration FROM nodes WHERE release LIKE '98.%'"),
    [{ release: '98.0.0', migration: known + 1 }],
  );
  // The release before can still be started, so the upgrade can be taken back.
  const back = await cluster.addNode();
  await back.start();
  const served = traffic.statuses.get(200) ?? 0;
  await eventually('callers are served', () => (traffic.statuses.get(200) ?? 0) > served + 20);
  await traffic.stop();
  t.diagnostic(`answers: ${JSON.stringify([...traffic.statuses])}`);
  assert.deepEqual(traffic.wrong, []);
  assert.deepEqual(
    [...traffic.statuses.keys()].filter((status) => status >= 500),
    [],
  );
  for (const [frame, numbers] of traffic.acknowledged)
    assert.deepEqual(await readNumbers(cluster.url, frame), numbers);
  await back.stop();
});

interface LogLine {
  readonly time: string;
  readonly event: string;
  readonly level: string;
  readonly detail: string;
  readonly hint: string;
}

test('a contraction that running nodes do not know: they are not ready and answer nothing any more, and say why', async (t) => {
  const old = cluster.nodes.filter(({ isUp }) => isUp);
  assert.equal(old.length, 3);
  const newest = await cluster.addNode({ command: release('99.0.0', contract) });
  await newest.start();
  const [{ at = 0 } = {}] = await cluster.query<{ at: number }>(
    `SELECT (extract(epoch FROM made_at) * 1000)::bigint AS at FROM migrations WHERE number = ${known + 2}`,
  );
  const reason = `Only servers that know migration ${known + 2} can use it; this one knows ${known + 1}.`;
  for (const { framehold, url, grpcUrl } of old) {
    const line = await framehold.until('line about its age', () => {
      const found = framehold.lines.find((each) => each.includes('"node-outdated"'));
      return found === undefined ? null : (JSON.parse(found) as LogLine);
    });
    const tookMs = Date.parse(line.time) - Number(at);
    t.diagnostic(`it noticed ${tookMs} ms after the migration began`);
    // A heartbeat comes every two seconds.
    assertTook(tookMs, 4_000);
    assert.deepEqual([line.level, line.detail.endsWith(reason)], ['error', true]);
    assert.match(line.hint, /starts the newer server in its place/);

    const ready = await getText(`${framehold.url}/readyz`);
    assert.deepEqual([ready.status, ready.text.includes(reason)], [503, true], ready.text);
    for (const [method, path] of [
      ['GET', '/v1/frames'],
      ['GET', '/exec?handle=rolling_0_0&fmt=json'],
      ['PUT', '/v1/frames/late'],
    ] as const) {
      const body = method === 'PUT' ? 'n\n1\n' : null;
      const answer = await getText(url + path, { method, body, headers: { 'content-type': 'text/csv' } });
      assert.deepEqual([answer.status, answer.text.includes(reason)], [503, true], answer.text);
    }
    const failure = await flightPython(grpcUrl, 'result = fails(lambda: get("rolling_0_0"))');
    assert.equal((failure as { kind: string }).kind, 'FlightUnavailableError');
    assert.match((failure as { text: string }).text, /changed by a newer server/);
    // It is alive: a restart would not help.
    assert.equal((await getText(`${framehold.url}/healthz`)).status, 200);
  }
  assert.equal((await getText(`${newest.url}/exec?handle=rolling_0_0&fmt=json`)).status, 200);

  // An older release does not start on these tables either.
  const late = await cluster.addNode();
  await assert.rejects(late.start(), (error: Error) => {
    assert.match(error.message, /changed by a newer server \(migration \d+\)/);
    assert.match(error.message, /this one knows \d+\. Install the newer server\./);
    return true;
  });
});
