import { describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { DEPLOY, deployCheck, withChanged, type Change } from './deploy-check';

const FILES = [
  ['dockerfile', 'docker/Dockerfile'],
  ['compose', 'compose/compose.yaml'],
  ['kubernetes', 'kubernetes/base'],
  ['kubernetes', 'kubernetes/example'],
  ['alerts', 'prometheus/alerts.yaml'],
  ['scrape', 'compose/prometheus.yaml'],
  ['dashboard', 'grafana/dashboard.json'],
  ['temporal', 'compose/temporal/dynamic-config.yaml'],
] as const;

test.each(FILES)('%s accepts deploy/%s', async (command, file) => {
  expect(await deployCheck(command, join(DEPLOY, file))).toEqual({ code: 0, stdout: '', stderr: '' });
});

const WITH_HPA: Change = {
  file: 'kubernetes/example/kustomization.yaml',
  from: '../autoscaling-keda',
  to: '../autoscaling-hpa',
};

const WITH_LOCAL_FILES: Change = { ...WITH_HPA, to: '../local-files' };

test.each([
  { how: 'scale by a HorizontalPodAutoscaler', change: WITH_HPA },
  { how: 'be a StatefulSet with files of its own', change: WITH_LOCAL_FILES },
])('the example may also $how', async ({ change }) => {
  const checked = await withChanged([change], (folder) =>
    deployCheck('kubernetes', join(folder, 'kubernetes/example')),
  );
  expect(checked).toEqual({ code: 0, stdout: '', stderr: '' });
});

interface Broken extends Change {
  readonly what: string;
  /** An entry of FILES. */
  readonly check: readonly [string, string];
  readonly finding: RegExp;
  readonly besides?: Change;
}

const [DOCKERFILE, COMPOSE, , KUBERNETES, ALERTS, SCRAPE, DASHBOARD, TEMPORAL] = FILES;
const DEPLOYMENT = 'kubernetes/base/deployment.yaml';
const KEDA = 'kubernetes/autoscaling-keda/scaled-object.yaml';
const DYNAMIC_CONFIG = 'compose/temporal/dynamic-config.yaml';
const HPA = 'kubernetes/autoscaling-hpa/horizontal-pod-autoscaler.yaml';

const BROKEN: readonly Broken[] = [
  {
    what: 'an instruction that does not exist',
    check: DOCKERFILE,
    file: 'docker/Dockerfile',
    from: 'STOPSIGNAL SIGTERM',
    to: 'STOPSIGNALS SIGTERM',
    finding: /unknown instruction: STOPSIGNALS/,
  },
  {
    what: 'a flag that HEALTHCHECK does not know',
    check: DOCKERFILE,
    file: 'docker/Dockerfile',
    from: '--interval=15s',
    to: '--every=15s',
    finding: /unknown flag: --every/,
  },
  {
    what: 'a copy from a missing stage',
    check: DOCKERFILE,
    file: 'docker/Dockerfile',
    from: 'COPY --from=app',
    to: 'COPY --from=application',
    finding: /COPY --from=application: no such stage/,
  },
  {
    what: 'a stage named in two cases',
    check: DOCKERFILE,
    file: 'docker/Dockerfile',
    from: 'slim AS worker',
    to: 'slim as worker',
    finding: /FromAsCasing/,
  },
  {
    what: 'a last stage that runs as root',
    check: DOCKERFILE,
    file: 'docker/Dockerfile',
    from: 'USER 1000:1000',
    to: 'USER 0:1000',
    finding: /the last stage runs as root/,
  },
  {
    what: 'a key that Compose does not know',
    check: COMPOSE,
    file: 'compose/compose.yaml',
    from: 'stop_grace_period:',
    to: 'stop_grace:',
    finding: /services\.worker\.stop_grace false schema/,
  },
  {
    what: 'a secret that nobody defines',
    check: COMPOSE,
    file: 'compose/compose.yaml',
    from: 'secrets: [accounts, codec-key]',
    to: 'secrets: [accounts, codec]',
    finding: /refers to undefined secret codec/,
  },
  {
    what: 'a service that waits for a missing service',
    check: COMPOSE,
    file: 'compose/compose.yaml',
    from: 'prometheus: { condition',
    to: 'prometheuss: { condition',
    finding: /depends on undefined service "?prometheuss/,
  },
  {
    what: 'a wait for health without a health check',
    check: COMPOSE,
    file: 'compose/compose.yaml',
    from: 'temporal: { condition: service_healthy }',
    to: 'temporal-ui: { condition: service_healthy }',
    finding: /to be healthy, which has no health check/,
  },
  {
    what: 'a missing mounted file',
    check: COMPOSE,
    file: 'compose/compose.yaml',
    from: './prometheus.yaml:',
    to: './prometheus.yml:',
    finding: /prometheus mounts what is not there/,
  },
  {
    what: 'a misspelt field of a pod',
    check: KUBERNETES,
    file: DEPLOYMENT,
    from: 'terminationGracePeriodSeconds',
    to: 'terminationGraceSeconds',
    finding: /unknown field "spec\.template\.spec\.terminationGraceSeconds"/,
  },
  {
    what: 'a mount of a missing volume',
    check: KUBERNETES,
    file: DEPLOYMENT,
    from: '- name: spool\n          emptyDir',
    to: '- name: spooled\n          emptyDir',
    finding: /volumeMounts\[1\]\.name: Not found: "spool"/,
  },
  {
    what: 'a malformed quantity',
    check: KUBERNETES,
    file: DEPLOYMENT,
    from: 'limits: { memory: 1Gi }',
    to: 'limits: { memory: 1GB }',
    finding: /quantities must match/,
  },
  {
    what: 'a request above its limit',
    check: KUBERNETES,
    file: DEPLOYMENT,
    from: 'limits: { memory: 1Gi }',
    to: 'limits: { memory: 1Mi }',
    finding: /must be less than or equal to memory limit/,
  },
  {
    what: 'a container that may write on its root and keeps capabilities',
    check: KUBERNETES,
    file: DEPLOYMENT,
    from: 'capabilities: { drop: [ALL] }',
    to: 'privileged: false',
    finding: /Pod Security "restricted": unrestricted capabilities/,
  },
  {
    what: 'a malformed port of a network policy',
    check: KUBERNETES,
    file: 'kubernetes/base/network-policy.yaml',
    from: 'port: 7233',
    to: 'port: 72330',
    finding: /must be between 1 and 65535/,
  },
  {
    what: 'a kustomization that names a missing file',
    check: KUBERNETES,
    file: 'kubernetes/base/kustomization.yaml',
    from: '- service.yaml',
    to: '- services.yaml',
    finding: /services\.yaml/,
  },
  {
    what: 'a field that KEDA would drop',
    check: KUBERNETES,
    file: KEDA,
    from: 'cooldownPeriod: 300',
    to: 'coolDownPeriod: 300',
    finding: /unknown field \.spec\.coolDownPeriod/,
  },
  {
    what: 'metadata of a trigger that is not text',
    check: KUBERNETES,
    file: KEDA,
    from: "targetQueueSize: '16'",
    to: 'targetQueueSize: 16',
    finding: /targetQueueSize.*must be of type string/,
  },
  {
    what: 'an autoscaler with less at most than at least',
    check: KUBERNETES,
    besides: WITH_HPA,
    file: HPA,
    from: 'maxReplicas: 20',
    to: 'maxReplicas: 1',
    finding: /must be greater than or equal to `minReplicas`/,
  },
  {
    what: 'a StatefulSet with a strategy of Deployments',
    check: KUBERNETES,
    besides: WITH_LOCAL_FILES,
    file: 'kubernetes/local-files/stateful-set.yaml',
    from: '- { op: remove, path: /spec/strategy }\n',
    to: '',
    finding: /unknown field "spec\.strategy"/,
  },
  {
    what: 'an expression that does not parse',
    check: ALERTS,
    file: 'prometheus/alerts.yaml',
    from: 'absent(media_service_worker_ready == 1)',
    to: 'absent(media_service_worker_ready = 1)',
    finding: /could not parse expression/,
  },
  {
    what: 'a template that names no known function',
    check: ALERTS,
    file: 'prometheus/alerts.yaml',
    from: 'humanizePercentage',
    to: 'humanizePercent',
    finding: /function "humanizePercent" not defined/,
  },
  {
    what: 'a field that rules do not have',
    check: ALERTS,
    file: 'prometheus/alerts.yaml',
    from: 'labels: { severity: info }',
    to: 'label: { severity: info }',
    finding: /field label not found/,
  },
  {
    what: 'a way to find targets that has no type',
    check: SCRAPE,
    file: 'compose/prometheus.yaml',
    from: 'type: A, ',
    to: 'type: B, ',
    finding: /invalid DNS-SD records type B/,
  },
  {
    what: 'a misspelt key of a job',
    check: SCRAPE,
    file: 'compose/prometheus.yaml',
    from: 'static_configs',
    to: 'static_config',
    finding: /field static_config not found/,
  },
  {
    what: 'a query that does not parse',
    check: DASHBOARD,
    file: 'grafana/dashboard.json',
    from: '"sum(media_service_worker_draining)"',
    to: '"sum(media_service_worker_draining"',
    finding: /unclosed left parenthesis/,
  },
  {
    what: 'an option that panels of Grafana do not have',
    check: DASHBOARD,
    file: 'grafana/dashboard.json',
    from: '"placement": "bottom"',
    to: '"place": "bottom"',
    finding: /unexpected field 'place'/,
  },
  {
    what: 'an unknown type of panel',
    check: DASHBOARD,
    file: 'grafana/dashboard.json',
    from: '"type": "stat"',
    to: '"type": "singlestat"',
    finding: /panels of type singlestat/,
  },
  {
    what: "a key that Temporal's server does not know",
    check: TEMPORAL,
    file: DYNAMIC_CONFIG,
    from: 'matching.enableFairness',
    to: 'matching.fairness',
    finding: /unregistered key "matching\.fairness"/,
  },
  {
    what: "a value of another type than the key's",
    check: TEMPORAL,
    file: DYNAMIC_CONFIG,
    from: 'value: true',
    to: 'value: 7',
    finding: /validation failed: key "matching\.enablefairness" value 7/,
  },
  {
    what: 'a constraint that does not go with the key',
    check: TEMPORAL,
    file: DYNAMIC_CONFIG,
    from: 'value: true',
    to: 'value: true\n    constraints: { shardId: 3 }',
    finding: /constraint "shardId" isn't valid/,
  },
  {
    what: 'a value under another name',
    check: TEMPORAL,
    file: DYNAMIC_CONFIG,
    from: 'value: true',
    to: 'values: true',
    finding: /field values not found/,
  },
  {
    what: 'a dynamic configuration that sets nothing',
    check: TEMPORAL,
    file: DYNAMIC_CONFIG,
    from: 'matching.enableFairness:\n  - value: true\n',
    to: '',
    finding: /it sets nothing/,
  },
];

describe('the validators find', () => {
  test.each(BROKEN)('$what', async ({ check: [command, path], finding, besides, ...broken }) => {
    const changes = besides === undefined ? [broken] : [broken, besides];
    const { code, stderr } = await withChanged(changes, (folder) => deployCheck(command, join(folder, path)));
    expect(stderr).toMatch(finding);
    expect(code).toBe(1);
  });
});
