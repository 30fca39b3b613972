import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { errorKinds } from '../../src/model/errors.ts';
import { parseYaml, runTool } from '../support/deploy-tools.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const path = join(repositoryRoot, 'deploy', 'prometheus', 'alerts.yaml');

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
const [rules] = parseYaml(readFileSync(path, 'utf8')) as [{ groups: { rules: Rule[] }[] }];
const alerts = rules.groups.flatMap((group) => group.rules);

/** Series by their labels, a value each minute, in the notation of promtool: 0+10x60 begins at 0 and adds 10 sixty times. */
type Series = Readonly<Record<string, string>>;

/** For each alert what raises it within two hours, and what comes close and does not. */
const cases: Readonly<Record<string, { readonly raised: Series; readonly quiet: Series }>> = {
  FrameholdNodeDown: { raised: { up: '1x10 0x120' }, quiet: { up: '1x60 0 1x60' } },
  FrameholdNodeNotReady: {
    raised: { framehold_ready: '1x10 0x120' },
    quiet: { framehold_ready: '1x60 0x1 1x60' },
  },
  FrameholdNodesMissing: {
    raised: {
      'up{instance="a"}': '1x120',
      'up{instance="b"}': '1x120',
      'framehold_nodes_live{instance="a"}': '1x120',
    },
    quiet: {
      'up{instance="a"}': '1x120',
      'framehold_nodes_live{instance="a"}': '1x120',
    },
  },
  FrameholdClockOff: {
    raised: { framehold_catalog_clock_offset_seconds: '-0.7x120' },
    quiet: { framehold_catalog_clock_offset_seconds: '0.4x120' },
  },
  FrameholdCatalogSlow: {
    raised: lookups({ '0.1': 90, '0.5': 100, '+Inf': 100 }),
    quiet: lookups({ '0.1': 100, '0.5': 100, '+Inf': 100 }),
  },
  FrameholdPartsUnavailable: {
    raised: { 'framehold_errors_total{code="unavailable"}': '0+60x120' },
    quiet: { 'framehold_errors_total{code="unavailable"}': '0x60 20x60' },
  },
  FrameholdStoreRetries: {
    raised: requests({ ok: 80, retried: 15, failed: 5 }),
    quiet: requests({ ok: 95, retried: 5, failed: 0 }),
  },
  FrameholdCacheMisses: { raised: opened({ hit: 100, miss: 200 }), quiet: opened({ hit: 10, miss: 20 }) },
  FrameholdDiskLow: {
    raised: { framehold_disk_free_bytes: '1000000000x120' },
    quiet: { framehold_disk_free_bytes: '50000000000x120' },
  },
  FrameholdRemovalStopped: {
    raised: {
      'framehold_store_guard{instance="a"}': '0x120',
      'framehold_store_guard{instance="b"}': '0x10 1x110',
    },
    quiet: { 'framehold_store_guard{instance="a"}': '0x120' },
  },
  FrameholdObjectsDamaged: {
    raised: { 'framehold_objects_damaged_total{recovered="true"}': '0x100 1x20' },
    quiet: { 'framehold_objects_damaged_total{recovered="true"}': '1x120' },
  },
  FrameholdClaimStuck: {
    raised: { 'framehold_claims_oldest_seconds{work="settle"}': '0+60x120' },
    quiet: { 'framehold_claims_oldest_seconds{work="scrub"}': '0+60x120' },
  },
  FrameholdSettlingBehind: {
    raised: { 'framehold_settle_backlog_oldest_seconds{instance="a"}': '0+60x120' },
    quiet: { 'framehold_settle_backlog_oldest_seconds{instance="a"}': '0+120x25 0+120x25 0+120x25 0x45' },
  },
  FrameholdMergingBehind: {
    raised: { 'framehold_merge_backlog_logs{instance="a"}': '2000+10x120' },
    quiet: { 'framehold_merge_backlog_logs{instance="a"}': '5000x40 10 5000x40 10 5000x40' },
  },
  FrameholdGarbageBehind: {
    raised: {
      'framehold_garbage_backlog_objects{instance="a"}': '2000+50x120',
      'framehold_objects_removed_total{instance="a"}': '0x120',
    },
    quiet: {
      'framehold_garbage_backlog_objects{instance="a"}': '54000x120',
      'framehold_objects_removed_total{instance="a"}': '0+3600x120',
    },
  },
  FrameholdOutcomeUnknown: {
    raised: { 'framehold_errors_total{code="outcome_unknown"}': '0x110 1x10' },
    quiet: { 'framehold_errors_total{code="outcome_unknown"}': '1x120' },
  },
  FrameholdServerErrors: {
    raised: { ...answered('a', { '2xx': 100, '5xx': 0 }), ...answered('b', { '2xx': 90, '5xx': 10 }) },
    quiet: { ...answered('a', { '2xx': 96, '5xx': 4 }), ...answered('b', { '2xx': 90, '4xx': 10 }) },
  },
  FrameholdSlow: {
    raised: {
      ...described('a', { '1': 100, '5': 100, '+Inf': 100 }),
      ...described('b', { '1': 90, '5': 100, '+Inf': 100 }),
    },
    quiet: described('a', { '1': 100, '5': 100, '+Inf': 100 }),
  },
  FrameholdInternalErrors: {
    raised: { 'framehold_errors_total{code="internal"}': '0x110 1x10' },
    quiet: { 'framehold_errors_total{code="frame_not_found"}': '0+100x120' },
  },
  FrameholdOverloaded: {
    raised: { 'framehold_errors_total{code="overloaded"}': '0+120x120' },
    quiet: { 'framehold_errors_total{code="overloaded"}': '0+30x120' },
  },
  FrameholdBackgroundFailures: {
    raised: { 'framehold_background_failures_total{exported_job="merge"}': '0+1x120' },
    quiet: { 'framehold_background_failures_total{exported_job="merge"}': '0x100 1x20' },
  },
  FrameholdLogLinesLost: {
    raised: { framehold_log_lines_lost_total: '0x110 5x10' },
    quiet: { framehold_log_lines_lost_total: '5x120' },
  },
};

function lookups(counts: Readonly<Record<string, number>>): Series {
  return Object.fromEntries(
    Object.entries(counts).map(([le, count]) => [
      `framehold_catalog_lookup_seconds_bucket{le="${le}"}`,
      `0+${count}x120`,
    ]),
  );
}

function answered(instance: string, counts: Readonly<Record<string, number>>): Series {
  return Object.fromEntries(
    Object.entries(counts).map(([status, count]) => [
      `framehold_http_requests_total{instance="${instance}",status="${status}"}`,
      `0+${count}x120`,
    ]),
  );
}

function described(instance: string, counts: Readonly<Record<string, number>>): Series {
  return Object.fromEntries(
    Object.entries(counts).map(([le, count]) => [
      `framehold_http_request_duration_seconds_bucket{instance="${instance}",route="/v1/frames/:handle",le="${le}"}`,
      `0+${count}x120`,
    ]),
  );
}

function requests(counts: Readonly<Record<string, number>>): Series {
  return Object.fromEntries(
    Object.entries(counts).map(([outcome, count]) => [
      `framehold_s3_requests_total{outcome="${outcome}"}`,
      `0+${count}x120`,
    ]),
  );
}

function opened(counts: Readonly<Record<string, number>>): Series {
  return Object.fromEntries(
    Object.entries(counts).map(([result, count]) => [
      `framehold_object_cache_total{result="${result}"}`,
      `0+${count}x120`,
    ]),
  );
}

/** A unit test of promtool: after two hours of these series exactly this alert is firing, or none. */
function check(name: string, series: Series, firing: string | null): object {
  return {
    name,
    interval: '1m',
    input_series: Object.entries(series).map(([metric, values]) => ({
      series: metric.includes('{') ? metric.replace('{', '{job="framehold",') : `${metric}{job="framehold"}`,
      values,
    })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '2h',
        exp_samples: firing === null ? [] : [{ labels: `{alertname="${firing}"}`, value: 1 }],
      },
    ],
  };
}

test('promtool accepts the rules', () => {
  const { code, out, errors } = runTool('promtool', ['check', 'rules', '--lint-fatal', path]);
  assert.equal(code, 0, out + errors);
});

test('each alert is raised by what it is for, and not by what comes close', () => {
  assert.deepEqual(Object.keys(cases).sort(), alerts.map(({ alert }) => alert).sort());
  const tests = Object.entries(cases).flatMap(([alert, { raised, quiet }]) => [
    check(`${alert}, raised`, raised, alert),
    check(`${alert}, quiet`, quiet, null),
  ]);
  // JSON is YAML.
  const file = join(temporaryFolder('alerts'), 'tests.yaml');
  writeFileSync(file, JSON.stringify({ rule_files: [path], evaluation_interval: '1m', tests }));
  const { code, out, errors } = runTool('promtool', ['test', 'rules', file]);
  assert.equal(code, 0, out + errors);
});

test('every metric, and every code of an error, that an alert names exists', () => {
  const documented = readFileSync(join(repositoryRoot, 'docs', 'reference', 'metrics.md'), 'utf8');
  for (const { alert, expr } of alerts) {
    for (const [name] of expr.matchAll(/\bframehold_\w+/g))
      assert.ok(documented.includes(`| \`${name.replace(/_bucket$/, '')}\` |`), `${alert}: ${name}`);
    for (const [, code = ''] of expr.matchAll(/code="(\w+)"/g))
      assert.ok(code in errorKinds, `${alert}: ${code}`);
  }
});

test('the runbook has a section for each alert', () => {
  const runbook = readFileSync(join(repositoryRoot, 'docs', 'guides', 'runbook.md'), 'utf8');
  for (const { alert } of alerts) assert.match(runbook, new RegExp(`^### ${alert}$`, 'm'));
});
