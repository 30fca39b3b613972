/**
 * Types docs/guides/superset.md in an empty folder, then does in a browser what its steps say, asks SQL Lab, and stops a statement. `npm run test:superset`; part of
 * `npm run nightly`, because Superset has a gigabyte of packages. TEST_PICTURES=docs/images renews the picture.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serverCommand } from '../../server/test/support/framehold-process.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { documentedCommands, firstLine } from '../fenced-blocks.ts';
import { Newcomer } from '../newcomer.ts';
import { SupersetApi } from './superset-api.ts';
import { SupersetPages } from './superset-pages.ts';

const commands = documentedCommands('docs/guides/superset.md');
const slow = 'select sum(a.range * b.range) from range(1000000) a, range(1000000) b';

describe('superset.md', () => {
  const folder = temporaryFolder('superset-guide');
  let newcomer: Newcomer;
  let api: SupersetApi;

  before(async () => {
    const framehold = join(folder, 'framehold');
    writeFileSync(framehold, `#!/bin/sh\nexec ${serverCommand.join(' ')} "$@"\n`);
    chmodSync(framehold, 0o755);
    newcomer = await Newcomer.arrive('superset', folder);
  });
  after(async () => {
    const pid = Number(readFileSync(join(newcomer.workplace, 'superset.pid'), 'utf8'));
    process.kill(pid);
    await newcomer[Symbol.asyncDispose]();
    removeFolder(folder);
  });

  for (const command of commands)
    test(`line ${command.line}: ${firstLine(command)}`, () => newcomer.type(command, 'python3'));

  test('Superset answers', async () => {
    api = new SupersetApi(newcomer.pagesUrl);
    await eventually('its first page', () => api.isUp());
    await api.logIn('admin', 'admin');
  });

  test('it lists schemas, tables and columns', async () => {
    assert.deepEqual([...(await api.schemas())].sort(), ['information_schema', 'public']);
    assert.deepEqual(await api.tables('public'), ['trades']);
    assert.deepEqual(await api.columns('public', 'trades'), ['bought', 'symbol', 'price']);
  });

  test('SQL Lab runs a statement', async () => {
    const rows = await api.run('select symbol, count(*) as n from trades group by symbol order by 1', 'a');
    assert.deepEqual(rows, [
      { symbol: 'ACME', n: 667 },
      { symbol: 'BOLT', n: 667 },
      { symbol: 'CORE', n: 666 },
    ]);
  });

  test('SQL Lab stops a statement', async () => {
    // Superset answers a stopped statement with its state, or with an error.
    const rows = api.run(slow, 'b').catch(() => undefined);
    // Superset asks for the number of its session first, and can stop nothing before it has the answer.
    await eventually('its run', slowRuns);
    await api.stop('b');
    await eventually('its end', async () => !(await slowRuns()));
    assert.equal(await rows, undefined);
  });

  test('the steps give a chart with a line for each symbol', async () => {
    await using pages = await SupersetPages.open(newcomer.pagesUrl);
    await pages.logIn('admin', 'admin');
    await pages.createDataset('frames', 'public', 'trades');
    await pages.lineChart({ x: 'bought', metric: 'price', dimension: 'symbol' });
    // 42 days of three symbols. What is drawn is for people: the picture.
    assert.equal(await pages.rowsOfChart(), '126 rows');
    const { TEST_PICTURES: pictures } = process.env;
    if (pictures === undefined) return;
    mkdirSync(pictures, { recursive: true });
    await pages.takePicture(join(pictures, 'superset-chart.png'));
  });

  /** Superset writes it in its own way. */
  async function slowRuns(): Promise<boolean> {
    const answer = await fetch(`${newcomer.serverUrl}/v1/queries`);
    const { queries } = (await answer.json()) as { readonly queries: readonly { readonly query: string }[] };
    return queries.some(({ query }) => /range\s*\(1000000\)/i.test(query));
  }
});
