import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Outcome, parseYaml, runTool } from '../support/deploy-tools.ts';
import { runFramehold } from '../support/framehold-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const chart = 'deploy/helm/framehold';
/** The oldest that Chart.yaml allows, and the newest whose schemas are there. */
const kubernetesVersions = ['1.27.0', '1.37.0'];

const many = [
  'catalog.url=postgres://framehold@db.example.test/framehold',
  'storage.url=s3://frames/production',
];
/** Everything that is off by default. */
const everything = [
  'catalog.passwordSecret.name=catalog,catalog.caSecret.name=catalog-ca',
  'storage.keysSecret.name=keys,storage.caSecret.name=store-ca,storage.region=eu-central-1',
  'storage.endpoint=https://store.example.test',
  'tls.secret=certificate,postgres.enabled=true,advertiseNodes=true,networkPolicy.enabled=true,serviceMonitor.enabled=true',
  'serviceMonitor.tokenSecret.name=metrics,cache.storageClassName=fast',
  'settings.sql.processes_max=8,settings.frames.queue_max=1000000,settings.logging.level=debug',
  'settings.public_url=https://frames.example.test/a&b',
];
const cases: Readonly<Record<string, readonly string[]>> = {
  'many nodes': many,
  'many nodes with everything': [...many, ...everything],
  'one node': ['mode=one'],
  'one node with TLS and a class': ['mode=one', 'tls.secret=certificate', 'disk.storageClassName=fast'],
};

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // Manifests are data of Kubernetes: the schemas that check them are not ours.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly spec: any;
  readonly data?: Readonly<Record<string, string>>;
}

function helm(command: string, values: readonly string[], version = '1.30.0'): Outcome {
  const name = command === 'template' ? ['site'] : [];
  const sets = values.flatMap((value) => ['--set', value]);
  const strict = command === 'lint' ? ['--strict'] : [];
  return runTool('helm', [command, ...name, chart, '--kube-version', version, ...strict, ...sets]);
}

function render(values: readonly string[], version?: string): { text: string; resources: Resource[] } {
  const { code, out, errors } = helm('template', values, version);
  assert.equal(code, 0, errors);
  return { text: out, resources: parseYaml(out) as Resource[] };
}

function only(resources: readonly Resource[], kind: string): Resource {
  const [found, ...more] = resources.filter((each) => each.kind === kind);
  assert.ok(found && more.length === 0, `one ${kind}`);
  return found;
}

function podOf(resources: readonly Resource[]) {
  const workload = resources.find(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  assert.ok(workload);
  return { workload, pod: workload.spec.template.spec, container: workload.spec.template.spec.containers[0] };
}

for (const [name, values] of Object.entries(cases))
  describe(name, () => {
    test('helm lint has nothing to say', () => {
      const { code, out, errors } = helm('lint', values);
      assert.equal(code, 0, out + errors);
      assert.doesNotMatch(out, /\[(WARNING|ERROR|INFO)\]/);
    });

    for (const version of kubernetesVersions)
      test(`the manifests are what Kubernetes ${version} accepts`, () => {
        const file = join(temporaryFolder('manifests'), 'manifests.yaml');
        const { text, resources } = render(values, version);
        writeFileSync(file, text);
        const { code, out, errors } = runTool('kubernetes-validate', ['--strict', '-k', version, file]);
        assert.equal(code, 0, out + errors);
        // Of a resource without a schema it only warns: that is the Prometheus operator's alone.
        const checked = (out + errors).match(/ passed for resource /g)?.length;
        assert.equal(checked, resources.filter(({ kind }) => kind !== 'ServiceMonitor').length, out + errors);
      });

    test('the pod has no rights that it does not need', () => {
      const { pod, container } = podOf(render(values).resources);
      assert.equal(pod.securityContext.runAsNonRoot, true);
      assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault');
      assert.equal(pod.automountServiceAccountToken, false);
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    });

    test('every volume that is mounted exists, and every one that exists is mounted', () => {
      const { workload, pod, container } = podOf(render(values).resources);
      const claimed = (workload.spec.volumeClaimTemplates ?? []) as Resource[];
      const offered = [...pod.volumes, ...claimed.map(({ metadata }) => metadata)].map(({ name }) => name);
      const mounted = container.volumeMounts.map((mount: { name: string }) => mount.name);
      assert.deepEqual(mounted.sort(), offered.sort());
    });

    test('the server accepts the settings file, and finds in it what was given', async () => {
      const { resources } = render(values);
      const file = join(temporaryFolder('settings'), 'config.toml');
      const text = only(resources, 'ConfigMap').data?.['config.toml'] ?? '';
      writeFileSync(file, text);
      const { code, output } = await runFramehold(['config', '--config', file]);
      assert.equal(code, 0, output);
      assert.match(output, /^server\.drain_ms = 90000 .*config\.toml$/m);
      if (values.includes('mode=one')) assert.doesNotMatch(text, /postgres|s3:/);
      else assert.match(output, /^storage\.url = "s3:\/\/frames\/production"/m);
    });

    test('alive is the process alone, and ready is what the server says', () => {
      const { resources } = render(values);
      const { container } = podOf(resources);
      assert.equal(container.readinessProbe.httpGet.path, '/readyz');
      assert.equal(container.livenessProbe.httpGet.path, '/healthz');
      // By the thread that answers also while the main thread is busy, at the address that the settings name.
      for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
        assert.equal(container[probe].httpGet.port, 'management', probe);
      const port = container.ports.find(({ name }: { name: string }) => name === 'management');
      const text = only(resources, 'ConfigMap').data?.['config.toml'] ?? '';
      assert.match(text, new RegExp(`^management_address = ".*:${port.containerPort}"$`, 'm'));
    });
  });

/** Where the port for PostgreSQL's clients is named, and how. */
function postgresPorts(values: readonly string[]): readonly unknown[] {
  const { resources } = render([...values, 'networkPolicy.enabled=true']);
  const services = resources.filter(({ kind }) => kind === 'Service');
  const ports = [
    ...podOf(resources).container.ports,
    ...services.flatMap(({ spec }) => spec.ports),
    ...only(resources, 'NetworkPolicy').spec.ingress[0].ports,
  ] as { name?: string; containerPort?: number; port?: number | string }[];
  return ports
    .filter(({ name, port }) => name === 'postgres' || port === 'postgres')
    .map(({ containerPort, port }) => containerPort ?? port);
}

test('the listener for clients of PostgreSQL is off, and on has its port in pods, services and the network policy', async () => {
  assert.deepEqual(postgresPorts(many), []);
  const values = [...many, 'postgres.enabled=true', 'tls.secret=certificate', 'service.postgresPort=6432'];
  assert.deepEqual(postgresPorts(values), [5432, 6432, 5432, 'postgres']);
  const file = join(temporaryFolder('settings'), 'config.toml');
  writeFileSync(file, only(render(values).resources, 'ConfigMap').data?.['config.toml'] ?? '');
  const { output } = await runFramehold(['config', '--config', file]);
  assert.match(output, /^postgres\.bind_address = "0\.0\.0\.0:5432" /m);
});

test('credentials are required, unless the settings say otherwise', async () => {
  const requiredIn = async (values: readonly string[]) => {
    const { resources } = render(values);
    const file = join(temporaryFolder('settings'), 'config.toml');
    writeFileSync(file, only(resources, 'ConfigMap').data?.['config.toml'] ?? '');
    const { container } = podOf(resources);
    const variables = (container.env as { name: string; value?: string }[]).flatMap(({ name, value }) =>
      name === 'FRAMEHOLD_AUTH_REQUIRED' ? [[name, value ?? 'missing']] : [],
    );
    const { output } = await runFramehold(['config', '--config', file], {
      env: Object.fromEntries(variables),
    });
    return /^auth\.required = (\w+)/m.exec(output)?.[1];
  };
  assert.equal(await requiredIn(many), 'true');
  assert.equal(await requiredIn(['mode=one']), 'true');
  assert.equal(await requiredIn(['mode=one', 'settings.auth.required=false']), 'false');
});

test('an upgrade of many nodes starts a new one before it stops an old one', () => {
  const { resources } = render(many);
  assert.deepEqual(only(resources, 'Deployment').spec.strategy.rollingUpdate, {
    maxUnavailable: 0,
    maxSurge: 1,
  });
  assert.equal(only(resources, 'PodDisruptionBudget').spec.maxUnavailable, 1);
});

test('one node has a disk that outlives its pod, and no disruption budget that would keep it where it is', () => {
  const { resources } = render(['mode=one']);
  const { spec } = only(resources, 'StatefulSet');
  assert.equal(spec.replicas, 1);
  assert.equal(spec.volumeClaimTemplates[0].spec.resources.requests.storage, '100Gi');
  assert.ok(resources.every(({ kind }) => kind !== 'PodDisruptionBudget' && kind !== 'Deployment'));
});

test('other settings are another annotation of the pod, so that it is restarted', () => {
  const checksum = (values: readonly string[]) =>
    podOf(render(values).resources).workload.spec.template.metadata.annotations['checksum/settings'];
  assert.equal(checksum(many), checksum(many));
  assert.notEqual(checksum(many), checksum([...many, 'settings.sql.threads=4']));
});

test('no secret is written into a manifest: the settings name files', () => {
  const { text } = render([...many, ...everything]);
  assert.match(text, /password_file = "\/etc\/framehold\/secrets\/catalog-password"/);
  assert.match(text, /s3_secret_key_file = "\/etc\/framehold\/secrets\/s3-secret-key"/);
  assert.doesNotMatch(text, /^kind: Secret$/m);
});

for (const [mistake, values, says] of [
  ['no PostgreSQL', ['storage.url=s3://b/p'], /catalog\.url is required in mode many/],
  ['no bucket', [many[0] ?? ''], /storage\.url is required in mode many/],
  ['a misspelt value', [...many, 'replica=5'], /replica/],
  ['another kind of store', [many[0] ?? '', 'storage.url=gs://b/p'], /storage.*url|url.*pattern/s],
  ['other times to stop', [...many, 'settings.server.drain_ms=300000'], /Set shutdown\.delaySeconds/],
  ['passwords without TLS', [...many, 'postgres.enabled=true'], /postgres\.enabled needs tls\.secret/],
  [
    'a port that no service has',
    [...many, 'settings.postgres.bind_address=0.0.0.0:5432'],
    /Set postgres\.enabled/,
  ],
  ['required client certificates', [...many, 'settings.tls.client_auth=required'], /probes of Kubernetes/],
] as const)
  test(`refused with a reason: ${mistake}`, () => {
    const { code, errors } = helm('template', values);
    assert.notEqual(code, 0);
    assert.match(errors, says);
  });
