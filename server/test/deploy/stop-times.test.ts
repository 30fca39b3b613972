/** Each file of deploy/, and each page, has its own copy of how long a node takes to stop. They are compared here, so that none is forgotten. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { closeGraceMs } from '../../src/command-line/serve.ts';
import { settingTable } from '../../src/config/settings.ts';
import { readyWithinMs } from '../../src/frames/readiness.ts';
import { parseYaml, runTool } from '../support/deploy-tools.ts';
import { repositoryRoot } from '../support/repository.ts';

const delaySeconds = Number(settingTable['server.drain_delay_ms'].default) / 1_000;
const drainSeconds = Number(settingTable['server.drain_ms'].default) / 1_000;
/** After this the server has ended, or ends itself. */
const stopSeconds = delaySeconds + drainSeconds + closeGraceMs / 1_000;
const readySeconds = readyWithinMs / 1_000;

function textOf(...path: string[]): string {
  return readFileSync(join(repositoryRoot, ...path), 'utf8');
}

/** `2m`, `110s`, `500ms` or, as compose writes it, `1m50s`. */
function secondsOf(text: string | undefined): number {
  const units: Readonly<Record<string, number>> = { h: 3_600, m: 60, s: 1, ms: 0.001 };
  const parts = [...(text ?? '').matchAll(/(\d+)(ms|h|m|s)/g)];
  assert.ok(parts.length > 0, `a time: ${text}`);
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? Number.NaN), 0);
}

function assertWaits(seconds: number, what: string): void {
  assert.ok(seconds > stopSeconds, `${what} waits for ${seconds} s; a node needs up to ${stopSeconds} s`);
  assert.ok(seconds <= stopSeconds + 15, `${what} waits for ${seconds} s, far longer than ${stopSeconds} s`);
}

test('an upload or a read of a minute ends while a node stops, and the stop has an end', () => {
  assert.ok(drainSeconds >= 75 && drainSeconds <= 120, `${drainSeconds} s`);
});

test('Kubernetes waits for as long as a node needs, and its probes notice that it stops before it refuses requests', () => {
  const render = (more: string) => {
    const set = `catalog.url=postgres://u@h/d,storage.url=s3://b/p${more}`;
    const words = ['template', 'site', 'deploy/helm/framehold', '--kube-version', '1.30.0', '--set', set];
    const { code, out, errors } = runTool('helm', words);
    assert.equal(code, 0, errors);
    // biome-ignore lint/suspicious/noExplicitAny: data of Kubernetes
    const resources = parseYaml(out) as { kind: string; spec: any }[];
    return resources.find(({ kind }) => kind === 'Deployment')?.spec.template.spec;
  };
  const pod = render('');
  assertWaits(pod.terminationGracePeriodSeconds, 'terminationGracePeriodSeconds');
  const longer = render(',shutdown.drainSeconds=300').terminationGracePeriodSeconds;
  assert.equal(longer - pod.terminationGracePeriodSeconds, 300 - drainSeconds);
  const [{ readinessProbe, livenessProbe, lifecycle }] = pod.containers;
  assert.ok(readinessProbe.timeoutSeconds > readySeconds, 'a node answers in time');
  assert.ok(readinessProbe.periodSeconds * readinessProbe.failureThreshold < delaySeconds, 'it is noticed');
  // The server waits by itself.
  assert.equal(lifecycle, undefined);
  // It must not be restarted because it is busy: a minute of silence is more than that.
  assert.ok(livenessProbe.periodSeconds * livenessProbe.failureThreshold >= 60);
});

test('the values of the chart are the defaults of the server', () => {
  const [{ shutdown }] = parseYaml(textOf('deploy', 'helm', 'framehold', 'values.yaml')) as [
    { shutdown: unknown },
  ];
  assert.deepEqual(shutdown, { delaySeconds, drainSeconds });
});

test('systemd waits for as long as a node needs', () => {
  const unit = textOf('deploy', 'systemd', 'framehold.service');
  assertWaits(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]), 'TimeoutStopSec');
});

interface Service {
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly timeout?: string };
}

const compose = runTool('compose', ['-no-interpolation', '-format', 'json', 'compose.yaml'], {
  cwd: join(repositoryRoot, 'deploy', 'compose'),
});
const { services } = JSON.parse(compose.out) as { services: Readonly<Record<string, Service>> };

test('compose waits for as long as a node needs, and for as long as the balancer does', () => {
  const nodes = Object.entries(services).filter(([name]) => /^framehold-\d$/.test(name));
  assert.equal(nodes.length, 3);
  for (const [name, { stop_grace_period, healthcheck }] of nodes) {
    assertWaits(secondsOf(stop_grace_period), name);
    assert.ok(secondsOf(healthcheck?.timeout) > readySeconds);
  }
  const hardStop = secondsOf(/^ {4}hard-stop-after (\S+)$/m.exec(haproxy)?.[1]);
  assert.ok(hardStop > drainSeconds, 'the balancer gives requests no less time than a node');
  assert.ok(secondsOf(services.balancer?.stop_grace_period) > hardStop);
});

const haproxy = textOf('deploy', 'compose', 'haproxy.cfg');
const interSeconds = secondsOf(/default-server .*\binter (\S+)/.exec(haproxy)?.[1]);
const fall = Number(/default-server .*\bfall (\d+)/.exec(haproxy)?.[1]);
const checkSeconds = secondsOf(/^ {4}timeout check (\S+)$/m.exec(haproxy)?.[1]);

test('HAProxy sends nothing to a node that stops, lets it finish, and ends the requests of one that is silent', () => {
  assert.ok(checkSeconds > readySeconds, 'a node that waits for PostgreSQL is not taken for a dead one');
  assert.match(haproxy, /^ {4}http-check expect status 200 error-status L7OKC$/m);
  assert.ok(interSeconds + readySeconds < delaySeconds, 'it is noticed before it refuses requests');
  assert.match(haproxy, /^ {4}default-server .* on-marked-down shutdown-sessions /m);
  const silentSeconds = fall * (interSeconds + checkSeconds);
  assert.match(haproxy, new RegExp(`after ${silentSeconds} s at most,`));
  assert.match(haproxy, new RegExp(`or ${fall * interSeconds} s if it refuses connections\\.`));
  for (const side of ['client', 'server'])
    assert.ok(secondsOf(new RegExp(`^ {4}timeout ${side} (\\S+)$`, 'm').exec(haproxy)?.[1]) > stopSeconds);
});

test('HAProxy repeats nothing that a node may have taken', () => {
  assert.deepEqual(haproxy.match(/^ {4}retry-on .*$/gm), ['    retry-on conn-failure']);
});

test('every page and every comment that names a time names the right one', () => {
  const said = [
    [/`server\.drain_delay_ms` \((\d+)\s+s\)/g, delaySeconds],
    [/`server\.drain_ms` \((\d+)\s+s\)/g, drainSeconds],
    [/server needs up to (\d+) s/g, stopSeconds],
    [/longer than all of this, (\d+) s/g, stopSeconds],
    [/drain_delay_ms \+ drain_ms \+ 10 s at most, (\d+) s/g, stopSeconds],
    [/reports for (\d+) s (?:that it is stopping|before)/g, delaySeconds],
    [/requests up to (\d+) s/g, drainSeconds],
    [/answer within ([\d.]+) s, whatever/g, readySeconds],
  ] as const;
  const texts = globSync('{docs,deploy}/**/*.{md,yaml,cfg,service,tpl}', { cwd: repositoryRoot }).map(
    (path) => ({ path, text: textOf(path) }),
  );
  for (const [pattern, seconds] of said) {
    const found = texts.flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].map(([, number]) => `${path}: ${number}`),
    );
    assert.ok(found.length > 0, String(pattern));
    assert.deepEqual(
      found.filter((each) => !each.endsWith(`: ${seconds}`)),
      [],
      String(pattern),
    );
  }
  const timeout = /--stop-timeout (\d+)/.exec(textOf('docs', 'guides', 'running.md'))?.[1];
  assertWaits(Number(timeout), 'docker stop');
});
