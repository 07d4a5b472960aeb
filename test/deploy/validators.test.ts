import Ajv, { type AnySchemaObject } from 'ajv/dist/2020';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, parseDocument, type YAMLMap } from 'yaml';
import { ROOT } from '../support/pack';
import { toolPath } from '../support/tool-path';
import { DEPLOY, changedCopy, check, type Change, type Checked } from './deploy-files';

interface Kubernetes {
  readonly kind: string;
  readonly apiVersion: string;
  readonly spec?: { readonly template?: unknown };
}

/** The schema of a custom resource, with fields outside of it refused: an API server would drop them silently. */
function strict({ properties, items, ...schema }: Schema): AnySchemaObject {
  const inner = Object.entries(properties ?? {}).map(([name, one]) => [name, strict(one)] as const);
  return {
    ...(properties === undefined
      ? {}
      : { additionalProperties: false, properties: Object.fromEntries(inner) }),
    ...schema,
    ...(items === undefined ? {} : { items: strict(items) }),
  };
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const keda = parseDocument(readFileSync(join(__dirname, 'keda.sh_scaledobjects.yaml'), 'utf8'));
const SPEC = ['spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'properties', 'spec'];
const LENIENT = { strict: false, validateFormats: false };
const scaledObject = new Ajv(LENIENT).compile(strict((keda.getIn(SPEC) as YAMLMap).toJSON() as Schema));

const POD_SECURITY = [
  ['spec.securityContext.runAsNonRoot', true],
  ['spec.securityContext.seccompProfile.type', 'RuntimeDefault'],
  ['spec.containers.0.securityContext.allowPrivilegeEscalation', false],
  ['spec.containers.0.securityContext.capabilities.drop.0', 'ALL'],
] as const;

/** What Pod Security's level "restricted" misses in a pod of one container. */
function insecure({ spec }: Kubernetes): readonly string[] {
  if (spec?.template === undefined) return [];
  const valueAt = (path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], spec.template);
  return POD_SECURITY.flatMap(([path, value]) =>
    valueAt(path) === value ? [] : [`${path} is not ${String(value)}`],
  );
}

/** What the strict schema of the newest Kubernetes finds in an object. Rejects if it knows no such object. */
async function outsideSchema(object: Kubernetes): Promise<readonly unknown[]> {
  const schemas = join(await toolPath('deploy-programs'), 'kubernetes_validate', 'kubernetes-json-schema');
  const versions = readdirSync(schemas).filter((name) => name.endsWith('-strict'));
  const newest = versions.sort(new Intl.Collator('en', { numeric: true }).compare).at(-1) ?? '';
  const read = (name: string): AnySchemaObject =>
    JSON.parse(readFileSync(join(schemas, newest, `${name}.json`), 'utf8')) as AnySchemaObject;
  const ajv = new Ajv(LENIENT).addSchema(read('_definitions'));
  // Such as networking.k8s.io/v1, in a file networkpolicy-networking-v1.json.
  const api = object.apiVersion.replace(/^([^./]*)[^/]*\//, '$1-');
  const isValid = ajv.compile(read(`${object.kind.toLowerCase()}-${api}`));
  return isValid(object) ? [] : (isValid.errors ?? []);
}

/** Builds a kustomization, and checks each object by the schema of Kubernetes or KEDA, and by Pod Security. */
async function kubernetes(folder: string): Promise<Checked> {
  const built = await check(await toolPath('kustomize'), ['build', folder]);
  if (built.code !== 0) return built;
  const objects = parseAllDocuments(built.output).map((one) => one.toJS() as Kubernetes);
  const findings = await Promise.all(
    objects.map(async (object) => {
      if (!object.apiVersion.startsWith('keda.sh/')) return outsideSchema(object);
      return scaledObject(object.spec) ? [] : (scaledObject.errors ?? []);
    }),
  );
  const all = [...findings.flat(), ...objects.flatMap(insecure)];
  return all.length === 0 ? { code: 0, output: '' } : { code: 1, output: JSON.stringify(all) };
}

const CHECKS = {
  dockerfile: async (file: string) => {
    const hadolint = join(await toolPath('deploy-programs'), 'bin', 'hadolint');
    // Debian removes old versions of packages.
    return check(hadolint, ['--no-color', '--ignore', 'DL3008', file]);
  },
  compose: (file: string) => {
    const dclint = join(ROOT, 'node_modules', 'dclint', 'bin', 'dclint.cjs');
    // An image that the stack builds has a name, too.
    return check(process.execPath, [dclint, file, '--quiet', '--disable-rule', 'no-build-and-image']);
  },
  kubernetes,
  // Without the programs that only some machines have.
  workflow: async (file: string) =>
    check(await toolPath('actionlint'), ['-no-color', '-oneline', '-shellcheck=', '-pyflakes=', file]),
} as const;

const WORKFLOWS = join('.github', 'workflows');

test.each<readonly [keyof typeof CHECKS, string]>([
  ['dockerfile', 'deploy/docker/Dockerfile'],
  ['compose', 'deploy/compose/compose.yaml'],
  ['kubernetes', 'deploy/kubernetes/base'],
  ['kubernetes', 'deploy/kubernetes/example'],
  ...readdirSync(join(ROOT, WORKFLOWS)).map((name) => ['workflow', join(WORKFLOWS, name)] as const),
])('the %s validator accepts %s', async (kind, file) => {
  expect(await CHECKS[kind](join(ROOT, file))).toEqual({ code: 0, output: '' });
});

const EXAMPLE = 'kubernetes/example';
const withComponent = (name: string): Change => ({
  file: 'kubernetes/example/kustomization.yaml',
  from: 'components: []',
  to: `components: [../${name}]`,
});

test.each([
  { how: 'scale by KEDA', component: 'autoscaling-keda' },
  { how: 'scale by a HorizontalPodAutoscaler', component: 'autoscaling-hpa' },
  { how: 'be a StatefulSet with files of its own', component: 'local-files' },
  { how: 'have an HTTP door', component: 'http-door' },
])('the example may also $how', async ({ component }) => {
  const deploy = await changedCopy(withComponent(component));
  expect(await kubernetes(join(deploy, EXAMPLE))).toEqual({ code: 0, output: '' });
});

async function builtExample(change: Change): Promise<Checked> {
  return check(await toolPath('kustomize'), ['build', join(await changedCopy(change), EXAMPLE)]);
}

test('the example needs no KEDA as shipped, and its own settings override those of the base', async () => {
  const built = await builtExample({
    file: 'kubernetes/example/settings.env',
    from: 'TEMPORAL_NAMESPACE=default',
    to: 'TEMPORAL_NAMESPACE=films',
  });
  expect(built.code).toBe(0);
  expect(built.output).not.toContain('keda.sh');
  expect(built.output).toContain('TEMPORAL_NAMESPACE: films');
  expect(built.output).toContain('MEDIA_SERVICE_ACCOUNTS: /etc/media-service/accounts');
  expect(built.output).toContain('secretName: media-service-secrets');
});

test('the names of namespaces are changed in the folder of the example, not in the base', async () => {
  const file = 'kubernetes/example/kustomization.yaml';
  const [, shown = ''] = /^(# patches:\n(?:#.*\n)+)/m.exec(readFileSync(join(DEPLOY, file), 'utf8')) ?? [];
  const to = shown
    .replace(/^# /gm, '')
    .replace('value: temporal', 'value: films')
    .replace('monitoring', 'eyes');
  const built = await builtExample({ file, from: shown, to });
  expect(built.code).toBe(0);
  const policy = parseAllDocuments(built.output)
    .map((one) => one.toJS() as Kubernetes)
    .find(({ kind }) => kind === 'NetworkPolicy');
  const names = [...JSON.stringify(policy).matchAll(/metadata\.name":"([\w-]+)"/g)].map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(['films', 'eyes']));
  expect(names).not.toContain('temporal');
});

test.each([
  {
    what: 'a container that keeps its capabilities',
    file: 'kubernetes/base/deployment.yaml',
    from: 'capabilities: { drop: [ALL] }',
    to: 'privileged: false',
    finding: 'capabilities.drop.0 is not ALL',
  },
  {
    what: 'a field that Kubernetes would drop',
    file: 'kubernetes/base/deployment.yaml',
    from: 'revisionHistoryLimit: 5',
    to: 'revisionHistoryLimits: 5',
    finding: 'revisionHistoryLimits',
  },
  {
    what: 'a field that KEDA would drop',
    file: 'kubernetes/autoscaling-keda/scaled-object.yaml',
    from: 'cooldownPeriod: 300',
    to: 'coolDownPeriod: 300',
    finding: 'coolDownPeriod',
  },
])('the example is not accepted with $what', async ({ finding, ...change }) => {
  const deploy = await changedCopy(withComponent('autoscaling-keda'), change);
  const { code, output } = await kubernetes(join(deploy, EXAMPLE));
  expect(output).toContain(finding);
  expect(code).not.toBe(0);
});

interface Service {
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: unknown;
  readonly build?: unknown;
}

test('nothing in the stack waits for the health of a service without a health check', () => {
  const text = readFileSync(join(DEPLOY, 'compose/compose.yaml'), 'utf8');
  const { services } = parse(text, { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
  };
  const waited = Object.values(services).flatMap(({ depends_on = {} }) =>
    Object.entries(depends_on).flatMap(([name, { condition }]) =>
      condition === 'service_healthy' ? [name] : [],
    ),
  );
  expect(waited.length).toBeGreaterThan(3);
  // An image that the stack builds may have its check inside.
  const unchecked = waited.filter((name) => !services[name]?.healthcheck && !services[name]?.build);
  expect(unchecked).toEqual([]);
});
