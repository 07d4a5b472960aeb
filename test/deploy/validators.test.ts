import { expect, test } from '@jest/globals';
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

/** What our own checks add to the parsers, and one finding of each other parser, so that none accepts everything. */
const BROKEN: readonly (Change & {
  readonly what: string;
  readonly command: (typeof FILES)[number][0];
  readonly finding: RegExp;
})[] = [
  {
    what: 'a copy from a missing stage',
    command: 'dockerfile',
    file: 'docker/Dockerfile',
    from: 'COPY --from=app',
    to: 'COPY --from=application',
    finding: /COPY --from=application: no such stage/,
  },
  {
    what: 'a last stage that runs as root',
    command: 'dockerfile',
    file: 'docker/Dockerfile',
    from: 'USER 1000:1000',
    to: 'USER 0:1000',
    finding: /the last stage runs as root/,
  },
  {
    what: 'a wait for health without a health check',
    command: 'compose',
    file: 'compose/compose.yaml',
    from: 'temporal: { condition: service_healthy }',
    to: 'temporal-ui: { condition: service_healthy }',
    finding: /to be healthy, which has no health check/,
  },
  {
    what: 'a missing mounted file',
    command: 'compose',
    file: 'compose/compose.yaml',
    from: './prometheus.yaml:',
    to: './prometheus.yml:',
    finding: /prometheus mounts what is not there/,
  },
  {
    what: 'a container that may write on its root and keeps capabilities',
    command: 'kubernetes',
    file: 'kubernetes/base/deployment.yaml',
    from: 'capabilities: { drop: [ALL] }',
    to: 'privileged: false',
    finding: /Pod Security "restricted": unrestricted capabilities/,
  },
  {
    what: 'a field that KEDA would drop',
    command: 'kubernetes',
    file: 'kubernetes/autoscaling-keda/scaled-object.yaml',
    from: 'cooldownPeriod: 300',
    to: 'coolDownPeriod: 300',
    finding: /unknown field \.spec\.coolDownPeriod/,
  },
  {
    what: 'a template that names no known function',
    command: 'alerts',
    file: 'prometheus/alerts.yaml',
    from: 'humanizePercentage',
    to: 'humanizePercent',
    finding: /function "humanizePercent" not defined/,
  },
  {
    what: 'a misspelt key of a job',
    command: 'scrape',
    file: 'compose/prometheus.yaml',
    from: 'static_configs',
    to: 'static_config',
    finding: /field static_config not found/,
  },
  {
    what: 'an unknown type of panel',
    command: 'dashboard',
    file: 'grafana/dashboard.json',
    from: '"type": "stat"',
    to: '"type": "singlestat"',
    finding: /panels of type singlestat/,
  },
  {
    what: 'a dynamic configuration that sets nothing',
    command: 'temporal',
    file: 'compose/temporal/dynamic-config.yaml',
    from: 'matching.enableFairness:\n  - value: true\n',
    to: '',
    finding: /it sets nothing/,
  },
];

test.each(BROKEN)('$command finds $what', async ({ command, finding, ...change }) => {
  // Kubernetes' files are built from the example's folder, which uses all of them.
  const path = command === 'kubernetes' ? 'kubernetes/example' : change.file;
  const { code, stderr } = await withChanged([change], (folder) => deployCheck(command, join(folder, path)));
  expect(stderr).toMatch(finding);
  expect(code).toBe(1);
});
