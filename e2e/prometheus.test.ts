import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Child } from '../server/test/support/child-process.ts';
import { getText, putFrame } from '../server/test/support/frame-client.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { freePort } from '../server/test/support/free-port.ts';
import { arrowBytes } from '../server/test/support/python.ts';
import { partsFolder } from '../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../server/test/support/temporary-folder.ts';

let framehold: Framehold;
let prometheus: Child;
let prometheusUrl = '';
const folder = temporaryFolder('prometheus');
before(async () => {
  framehold = await Framehold.start();
  const { frame } = await arrowBytes({ frame: `pa.table({'n': pa.array(range(10), pa.int64())})` });
  await putFrame(framehold.url, 'frame', frame);
  await getText(`${framehold.url}/exec?handle=frame&fmt=json`);
  await getText(`${framehold.url}/exec?handle=nobody&fmt=json`);
  const config = join(folder, 'prometheus.yml');
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '500ms', scrape_timeout: '400ms' },
      scrape_configs: [
        { job_name: 'framehold', static_configs: [{ targets: [new URL(framehold.url).host] }] },
      ],
    }),
  );
  const port = await freePort();
  prometheusUrl = `http://127.0.0.1:${port}`;
  prometheus = new Child({
    command: join(partsFolder, 'bin', 'prometheus'),
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
  });
  await prometheus.until('ready Prometheus', async () => {
    const answer = await fetch(`${prometheusUrl}/-/ready`).catch(() => null);
    return answer?.ok ? true : null;
  });
});
after(async () => {
  await prometheus.stop();
  await framehold.remove();
  removeFolder(folder);
});

interface Answer {
  readonly data: {
    readonly result: readonly { readonly metric: Record<string, string>; readonly value: [number, string] }[];
  };
}

/** The value of an expression, once Prometheus has one. */
async function value(expression: string): Promise<number> {
  return await prometheus.until(`value of ${expression}`, async () => {
    const { text } = await getText(`${prometheusUrl}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data } = JSON.parse(text) as Answer;
    return data.result[0] === undefined ? null : Number(data.result[0].value[1]);
  });
}

test('a real Prometheus scrapes /metrics without an error', async () => {
  assert.equal(await value('up{job="framehold"} == 1'), 1);
  const { text } = await getText(`${prometheusUrl}/api/v1/targets`);
  const [target] = JSON.parse(text).data.activeTargets;
  assert.equal(target.health, 'up', target.lastError);
  assert.equal(target.lastError, '');
});

test('it knows the counters, and their values are right', async () => {
  assert.equal(await value('framehold_puts_total'), 1);
  assert.equal(await value('framehold_put_rows_total'), 10);
  assert.ok((await value('framehold_settle_backlog_parts')) <= 1);
  assert.equal(await value('framehold_http_requests_total{route="/exec",status="2xx"}'), 1);
  assert.equal(await value('framehold_http_requests_total{route="/exec",status="4xx"}'), 1);
  assert.equal(await value('framehold_errors_total{code="frame_not_found"}'), 1);
});

test('it understands the histograms', async () => {
  const seconds = await value(
    'histogram_quantile(0.5, framehold_http_request_duration_seconds_bucket{route="/exec",status="2xx"})',
  );
  assert.ok(seconds > 0 && seconds < 60, String(seconds));
});

test('it knows type and help of every metric', async () => {
  const { text } = await getText(`${prometheusUrl}/api/v1/metadata`);
  const known = JSON.parse(text).data as Record<string, [{ type: string; help: string }]>;
  const ours = Object.entries(known).filter(([name]) => name.startsWith('framehold_'));
  assert.ok(ours.length >= 20, String(ours.length));
  for (const [name, [{ type, help }]] of ours) assert.ok(type !== 'unknown' && help !== '', name);
});
