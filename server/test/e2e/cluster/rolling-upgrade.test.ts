import assert from 'node:assert/strict';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { knownMigrations } from '../../../src/postgres/migrations.ts';
import { Cluster } from '../../support/cluster/cluster.ts';
import type { ClusterNode } from '../../support/cluster/cluster-node.ts';
import { Traffic } from '../../support/cluster/fault-traffic.ts';
import { readNumbers } from '../../support/cluster/numbers.ts';
import { eventually } from '../../support/patience.ts';
import { repositoryRoot, serverFolder } from '../../support/repository.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const known = knownMigrations().length;
const folder = temporaryFolder('releases');

/** A release as it would be installed: this build, and migrations that come after those it has. */
function release(name: string, migrations: Readonly<Record<string, string>>): readonly [string, string] {
  const server = join(folder, name, 'server');
  mkdirSync(server, { recursive: true });
  cpSync(join(serverFolder, 'dist'), join(server, 'dist'), { recursive: true });
  cpSync(join(serverFolder, 'package.json'), join(server, 'package.json'));
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, name, 'node_modules'));
  for (const [file, text] of Object.entries(migrations))
    writeFileSync(join(server, 'dist', 'migrations', file), text);
  return [process.execPath, join(server, 'dist', 'main.js')];
}

function fileOf(number: number, name: string): string {
  return `${String(number).padStart(4, '0')}-${name}.sql`;
}

/** Adds, and the release before goes on with it. */
const expand = {
  [fileOf(known + 1, 'expand')]: `-- runs-with: ${known}
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

test('nodes are replaced one by one while tables are expanded: no request fails, and an older release is refused only after a contraction', async (t) => {
  const traffic = new Traffic([cluster.url], 'rolling');
  await eventually('the traffic runs', () => (traffic.statuses.get(200) ?? 0) > 20);
  await replaceNodes(release('next', expand));
  assert.equal(await lastMigration(), known + 1);
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

  const newest = await cluster.addNode({ command: release('newest', contract) });
  await newest.start();
  assert.equal(await lastMigration(), known + 2);
  const old = await cluster.addNode();
  await assert.rejects(old.start(), /newer server[\s\S]*Install the newer server/);
});
