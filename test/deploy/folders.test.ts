import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEPLOY } from './deploy-files';

const FOLDERS = /MEDIA_SERVICE_(?:FILE_ROOTS|OUTPUT_ROOTS|SPOOL_DIR)(?:: |=|, value: )([^\s}]+)/g;

function textOf(...files: readonly string[]): string {
  return files.map((file) => readFileSync(join(DEPLOY, file), 'utf8')).join('\n');
}

const compose = textOf('compose/compose.yaml');
const kubernetes = textOf(
  'kubernetes/base/deployment.yaml',
  'kubernetes/base/settings.env',
  'kubernetes/local-files/stateful-set.yaml',
);
const systemd = textOf('systemd/media-service-worker.service');

function service(name: string): string {
  const [, text] = new RegExp(`^  ${name}:\\n((?: {4}.*\\n|\\n)+)`, 'm').exec(compose) ?? [];
  if (text === undefined) throw new Error(`The stack has no ${name}.`);
  return text;
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

/** What is mounted at each path of the container. */
function mountsOf(name: string): ReadonlyMap<string, string> {
  return new Map(
    [...service(name).matchAll(/^ +- (\S+?):(\/[^:\s]+)(?::ro)?$|'(\w+):(\/[^':]+)'/gm)].map(
      ([, source = '', path = '', short = '', shortPath = '']) => [path || shortPath, source || short],
    ),
  );
}

/** `made`: folders that exist when the process starts. */
const SETTINGS_TEXTS = [
  { where: "Compose's worker", text: service('worker'), made: [...mountsOf('worker').keys()] },
  { where: 'the pods', text: kubernetes, made: all(kubernetes, /mountPath: ([^\s,}]+)/g) },
  {
    where: 'the unit',
    text: systemd,
    made: all(systemd, /^StateDirectory=(.*)$/gm)
      .flatMap((line) => line.split(' '))
      .map((name) => `%S/${name}`),
  },
];

// A worker does not start if one of these is missing, and a new volume is empty.
test.each(SETTINGS_TEXTS)(
  'each folder that settings name in $where exists from the start',
  ({ text, made }) => {
    const named = all(text, FOLDERS).flatMap((value) => value.split(':'));
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((folder) => !made.includes(folder))).toEqual([]);
  },
);

test('the tokens of the HTTP door are in a volume of the worker, in a folder of its image, as the README says', () => {
  const [file = ''] = all(service('worker'), /--http-tokens=(\S+)/g);
  expect(mountsOf('worker').get(dirname(file))).toBe('tokens');
  expect(textOf('docker/Dockerfile')).toMatch(new RegExp(`install -d -o 1000 -g 1000 .*${dirname(file)}\\b`));
  expect(textOf('README.md')).toContain(`tokens create n8n --file ${file}`);
});

test('the README commands for the stack mount the same media folder, whichever of them starts a worker', () => {
  const lines = ['README.md', '../docs/operations/runbook.md', '../docs/operations/upgrade.md'].flatMap(
    (file) => all(textOf(file), /((?:^|`)[^`\n]*docker compose up[^`\n]*)/gm),
  );
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.filter((line) => line.includes('MEDIA_FOLDER='))).toEqual([]);
  expect(textOf('README.md')).toMatch(/^echo MEDIA_FOLDER=\S+ > \.env/m);
});

test('health checks of the stack do not use localhost, which may resolve to an address without a listener', () => {
  const checks = all(compose, /healthcheck:\n +test: (.*)/g);
  expect(checks.length).toBeGreaterThan(4);
  expect(checks.filter((check) => check.includes('localhost'))).toEqual([]);
});
