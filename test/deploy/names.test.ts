import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isScalar, parseDocument, visit } from 'yaml';
import { VARIABLES } from '../../settings/variables';
import { METRICS } from '../../temporal/metrics';
import type { MetricDefinition } from '../../temporal/metrics';
import { DEFAULT_SHUTDOWN_GRACE_MS } from '../../temporal/worker/worker-config';
import { cliProgram } from '../support/cli-flags';
import { ROOT } from '../support/pack';
import { DEPLOY } from './deploy-files';

const texts = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ file: relative(DEPLOY, path), text: readFileSync(path, 'utf8') }));

function textOf(name: string): string {
  return texts.find(({ file }) => file === name)?.text ?? '';
}

const VARIABLE = /\b(?:MEDIA_SERVICE|TEMPORAL)_[A-Z_]*[A-Z]\b/g;
const variables = Object.values(VARIABLES);
const known: ReadonlySet<string> = new Set([
  // Temporal's own library reads it.
  'TEMPORAL_NAMESPACE',
  ...variables.flatMap(({ name, secret }) => (secret === true ? [name, `${name}_FILE`] : [name])),
]);

describe('in deploy/', () => {
  test('environment variables are ones that settings read', () => {
    const named = texts.flatMap(({ file, text }) =>
      [...text.matchAll(VARIABLE)].map(([name]) => `${file}: ${name}`),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.has(name.replace(/^.*: /, '')))).toEqual([]);
  });

  test.each(['prometheus/alerts.yaml', 'grafana/dashboard.json'])(
    'metrics and labels in %s are ones that a worker shows',
    (file) => {
      const used = queriesOf(textOf(file)).flatMap((query) => {
        const grouped = [...query.matchAll(/\bby ?\(([^)]*)\)/g)].flatMap(([, list = '']) =>
          list.split(/, ?/),
        );
        const metrics = [...query.matchAll(/\b((?:media_service|temporal)_\w+)(?:\{(.*?)\})?/g)];
        const names = metrics.map(([, name = '']) => name);
        const labels = metrics.flatMap(([, name = '', matchers = '']) =>
          [...matchers.matchAll(/(\w+) ?(?:=|!)/g)].map(([, label = '']) => ({ names: [name], label })),
        );
        return [
          ...names.map((name) => ({ names: [name], label: TARGET_LABELS[0] })),
          ...labels,
          ...grouped.map((label) => ({ names, label })),
        ];
      });
      expect(used.length).toBeGreaterThan(30);
      const unknown = used.filter(({ names, label }) => !names.some((name) => shown.get(name)?.has(label)));
      expect(unknown).toEqual([]);
    },
  );
});

/** Every `expr` in a dashboard or in a file of rules; JSON is YAML. */
function queriesOf(text: string): readonly string[] {
  const queries: string[] = [];
  visit(parseDocument(text), {
    Pair(_, { key, value }) {
      if (isScalar(key) && key.value === 'expr' && isScalar(value)) queries.push(String(value.value));
    },
  });
  return queries;
}

const TARGET_LABELS = ['instance', 'job'] as const;
/** Series of Temporal's core, as a worker shows them, with their labels. */
const TEMPORAL_SERIES = [
  ['temporal_long_request_failure_total', ['operation', 'status_code', 'task_queue']],
  ['temporal_workflow_task_execution_failed_total', ['workflow_type', 'failure_reason', 'task_queue']],
  ['temporal_activity_schedule_to_start_latency_seconds_bucket', ['task_queue', 'le']],
  // Alerts make the label `account` of the queue's name.
  ['temporal_worker_task_slots_used', ['task_queue', 'worker_type', 'account']],
  ['temporal_worker_task_slots_available', ['task_queue', 'worker_type']],
] as const;

type Series = readonly [name: string, labels: readonly string[]];

function seriesOf({ name, type, labels }: MetricDefinition): readonly Series[] {
  if (type !== 'histogram') return [[name, labels]];
  const sums: Series[] = ['sum', 'count'].map((end) => [`${name}_${end}`, labels]);
  return [...sums, [`${name}_bucket`, [...labels, 'le']]];
}

const shown: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...TEMPORAL_SERIES, ...Object.values(METRICS).flatMap(seriesOf)].map(
    ([name, labels]) => [name, new Set([...labels, ...TARGET_LABELS])] as const,
  ),
);

/** The words after `worker`, in a shell line, in a list of YAML or JSON in brackets, or in one with a line for each. */
function workerFlags(text: string): string[] {
  const [, line = ''] = /\bworker["']?,?\s+(?:- )?["']?(--health(?:[^\]\n]|\n\s+(?=- --))*)/.exec(text) ?? [];
  return line
    .split(/[\s,]+/)
    .map((word) => word.replaceAll(/["']/g, ''))
    .filter((word) => word !== '' && word !== '-');
}

const STARTS = [
  // `docker run` in the README says how long Docker waits.
  { file: 'docker/Dockerfile', stops: /docker run --rm.*--stop-timeout (\d+)/, host: '*' },
  { file: 'compose/compose.yaml', stops: /stop_grace_period: (\d+)s/, host: '*' },
  { file: 'kubernetes/base/deployment.yaml', stops: /terminationGracePeriodSeconds: (\d+)/, host: '*' },
  // On a plain machine its other users and networks have no access.
  { file: 'systemd/media-service-worker.service', stops: /TimeoutStopSec=(\d+)/, host: undefined },
];

/** What a command makes of these flags. Rejects flags that it does not have. */
function optionsOf(name: string, flags: readonly string[]): Record<string, unknown> {
  const command = cliProgram().commands.find((one) => one.name() === name);
  expect(command?.parseOptions([...flags])).toEqual({ operands: [], unknown: [] });
  return command?.opts() ?? {};
}

test.each(STARTS)(
  "deploy/$file starts the worker with both ports, and leaves more time to stop than the worker's parts get",
  ({ file, stops, host }) => {
    const { health, metrics, grace } = optionsOf('worker', workerFlags(textOf(file)));
    expect({ health, metrics }).toEqual({ health: { host, port: 8080 }, metrics: { host, port: 9464 } });
    const [, seconds] = stops.exec(textOf(file) + textOf('README.md')) ?? [];
    expect(Number(seconds) * 1000).toBeGreaterThan(Number(grace ?? DEFAULT_SHUTDOWN_GRACE_MS));
  },
);

test.each([
  { file: 'kubernetes/http-door/deployment.yaml', name: 'gateway' },
  { file: 'systemd/http-door.conf', name: 'worker' },
])('deploy/$file starts an HTTP door with tokens and https, by flags that exist', ({ file, name }) => {
  const lines = textOf(file)
    .split('\n')
    .filter((line) => /^ExecStart=.*--|^ +- --/.test(line));
  const flags = lines.flatMap((line) => line.slice(line.indexOf('--')).split(/[ =]/));
  expect(optionsOf(name, flags)).toMatchObject({
    http: { port: 8090 },
    httpTokens: expect.stringMatching(/\/tokens\.json$/),
    httpTls: expect.any(String),
    httpPostTo: ['n8n.example'],
  });
});

interface Manifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

describe('versions in deploy/', () => {
  test('of our images match the package', () => {
    const tags = texts.flatMap(({ text }) => [
      ...text.matchAll(/(?:media-service-(?:worker|n8n):|newTag: )(\d+\.\d+\.\d+)/g),
    ]);
    expect(tags.length).toBeGreaterThan(4);
    expect(new Set(tags.map(([, version]) => version))).toEqual(new Set([manifest.version]));
  });

  test('of Node and n8n match the ones that the tests use', () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'test/e2e/package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version?: string }>>;
    };
    const dockerfile = textOf('docker/Dockerfile');
    expect(dockerfile).toContain(`ARG NODE_VERSION=${manifest.devDependencies['node']?.slice(1) ?? ''}\n`);
    expect(dockerfile).toContain(`ARG N8N_VERSION=${lock.packages['node_modules/n8n']?.version ?? ''}\n`);
  });

  test("of Temporal's server and its tools are the same", () => {
    const images = textOf('compose/compose.yaml').matchAll(/temporalio\/(?:server|admin-tools):([\d.]+)/g);
    expect(new Set([...images].map(([, version]) => version)).size).toBe(1);
  });
});
