import { beforeEach, describe, expect, test } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../support/pack';
import { useTempDir } from '../../support/use-temp-dir';

const READY = {
  private: true,
  name: 'n8n-nodes-media-service',
  version: '1.2.3',
  author: { name: 'Ada Example', email: 'ada@example.org' },
  repository: { type: 'git', url: 'git+https://github.com/example/n8n-nodes-media-service.git' },
  homepage: 'https://github.com/example/n8n-nodes-media-service#readme',
  publishConfig: { access: 'public', provenance: true },
};
const CHANGES = '# Changelog\n\n## 1.2.3 (2026-11-30)\n\n- Nodes.\n\n## 1.2.2 (2026-10-01)\n\n- More.\n';

const SECOND = 'packages/media-service';
const dir = useTempDir('release', 'test');

beforeEach(async () => {
  git('init', '-q');
  await write('.gitignore', 'dist\n');
  await write('LICENSE', 'MIT License\n\nCopyright (c) 2026 Ada Example\n');
  await commit({});
});

const write = (name: string, text: string): Promise<void> => writeFile(join(dir.path, name), text);

function git(...args: readonly string[]): void {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, ...args], { cwd: dir.path });
}

/** A built and committed clone with this package.json. */
async function commit(changed: object, changelog = CHANGES): Promise<void> {
  for (const folder of ['.', SECOND]) {
    await mkdir(join(dir.path, folder), { recursive: true });
    await write(`${folder}/package.json`, JSON.stringify({ ...READY, ...changed }));
  }
  await write('CHANGELOG.md', changelog);
  await build();
  git('add', '--all');
  git('commit', '-q', '--allow-empty', '-m', 'Release');
}

/** Writes the stamp of a build of the current files. */
async function build(): Promise<void> {
  const hash = pathToFileURL(join(ROOT, 'tools', 'inputs-hash.mjs')).href;
  const inputs = pathToFileURL(join(ROOT, 'tools', 'build.mjs')).href;
  const code = `import { hashOf } from ${JSON.stringify(hash)}; import { INPUTS } from ${JSON.stringify(inputs)};
    process.stdout.write(await hashOf(${JSON.stringify(dir.path)}, INPUTS));`;
  const stamp = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  for (const dist of ['dist', `${SECOND}/dist`]) {
    await mkdir(join(dir.path, dist), { recursive: true });
    await write(`${dist}/.inputs`, stamp);
  }
}

async function check(folder = dir.path): Promise<{ code: number; lines: readonly string[] }> {
  const script = join(ROOT, 'tools', 'release-check.mjs');
  return await new Promise((done) => {
    execFile(process.execPath, [script, folder], (error, stdout) =>
      done({ code: error === null ? 0 : Number(error.code), lines: stdout.trim().split('\n') }),
    );
  });
}

test('a version that is ready has no finding', async () => {
  expect(await check()).toEqual({
    code: 0,
    lines: ['release: 1.2.3 of both packages can be published: push the tag v1.2.3.'],
  });
});

const GIT_URL = 'https://git.example.org/a/b.git';
const NPM_PAGE = 'https://www.npmjs.com/package/n8n-nodes-media-service';
const placeholder = { name: 'Ada', email: 'contributors@package.invalid' };
const unnamed = { name: 'package contributors', email: 'ada@example.org' };

test('each wrong setting of package.json has a finding, and no other', () => {
  const cases = [
    [{}, []],
    [{ author: { email: 'ada@example.org' } }, ['author.name is missing']],
    [{ author: unnamed }, ['author.name is "package contributors"']],
    [{ author: placeholder }, ['author.email is "contributors@package.invalid"']],
    [{ repository: undefined }, ['repository.url is missing']],
    [{ repository: GIT_URL }, [`repository.url is "${GIT_URL}"`]],
    [{ homepage: undefined }, ['homepage is missing']],
    [{ homepage: NPM_PAGE }, ['homepage is "https://www.npmjs.com']],
    [{ publishConfig: {} }, ['publishConfig.provenance is not']],
    [{ private: undefined }, ['private is not true']],
  ] as const;
  const given = cases.map(([changed]) => ['package.json', { ...READY, ...changed }]);
  const expected = cases.map(([, findings]) => findings.map((one) => beginning(`package.json: ${one}`)));
  expect(findingsOf('package-findings', 'packageFindings', given)).toEqual(expected);
});

test('a changelog without the version, its date or a change has a finding', () => {
  const given = [
    CHANGES,
    CHANGES.replace('2026-11-30', 'unreleased'),
    CHANGES.replace('1.2.3', '1.2.30'),
    CHANGES.replace('- Nodes.\n', ''),
  ];
  expect(
    findingsOf(
      'changelog-findings',
      'changelogFindings',
      given.map((text) => [text, '1.2.3']),
    ),
  ).toEqual([
    [],
    [beginning('CHANGELOG.md: 1.2.3 is "unreleased": put the date')],
    [beginning('CHANGELOG.md: 1.2.3 is missing')],
    [beginning('CHANGELOG.md: 1.2.3 names no change')],
  ]);
});

/** What a function of tools/release returns for each of these arguments. One process answers them all. */
function findingsOf(module: string, name: string, given: readonly (readonly unknown[])[]): unknown {
  const url = pathToFileURL(join(ROOT, 'tools', 'release', `${module}.mjs`)).href;
  const code = `import { ${name} } from ${JSON.stringify(url)};
    console.log(JSON.stringify(${JSON.stringify(given)}.map((each) => ${name}(...each))));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }),
  );
}

function beginning(text: string): unknown {
  return expect.stringMatching(new RegExp(`^${text.replaceAll(/[.?]/g, '\\$&')}`));
}

describe('a version with a problem is refused, and the finding names it:', () => {
  test('no dist', async () => {
    await rm(join(dir.path, 'dist'), { recursive: true });
    expect((await check()).lines[0]).toBe('dist: is missing: run npm run build.');
  });

  test('a source that changed since the build', async () => {
    await mkdir(join(dir.path, 'api'));
    await write('api/index.ts', 'export {};\n');
    git('add', '--all');
    git('commit', '-q', '-m', 'Change');
    expect(await check()).toMatchObject({
      code: 1,
      lines: ['dist: is stale: run npm run build.', expect.anything()],
    });
  });

  test('a node whose documentation link leads to npm', async () => {
    await mkdir(join(dir.path, 'nodes'));
    const repository = 'https://github.com/example/n8n-nodes-media-service/blob/main';
    const link = (url: string): Promise<void> =>
      write(
        'nodes/MediaServiceTrigger.node.json',
        `{ "credentialDocumentation": [{ "url": "${repository}/docs/credentials.md" }],
           "primaryDocumentation": [{ "url": "${url}" }] }`,
      );
    await link('https://www.npmjs.com/package/n8n-nodes-media-service');
    await commit({});
    expect(await check()).toMatchObject({
      code: 1,
      lines: [
        'nodes/MediaServiceTrigger.node.json: the documentation link is ' +
          'https://www.npmjs.com/package/n8n-nodes-media-service: use docs/trigger.md in the repository.',
        expect.stringMatching(/^release: 1 thing/),
      ],
    });
    await link(`${repository}/docs/trigger.md`);
    await commit({});
    expect((await check()).code).toBe(0);
  });

  test('a licence without a holder, a changelog without a date, and a sentence that is outdated by the release', async () => {
    await write('LICENSE', 'MIT License\n\nCopyright (c) 2026 package contributors\n');
    await write('README.md', 'Before the first release, build it.\n');
    await commit({ private: undefined }, CHANGES.replace('2026-11-30', 'unreleased'));
    expect(await check()).toEqual({
      code: 1,
      lines: [
        beginning('package.json: private is not true'),
        beginning(`${SECOND}/package.json: private is not true`),
        `LICENSE: the holder is "package contributors": use the maintainer's name.`,
        'README.md: has a sentence about the time before the first release: remove it.',
        beginning('CHANGELOG.md: 1.2.3 is "unreleased": put the date'),
        'release: 5 thing(s) to do before 1.2.3 can be published.',
      ],
    });
  });

  test('an uncommitted change', async () => {
    await write('CHANGELOG.md', `${CHANGES}\n`);
    const { code, lines } = await check();
    expect(code).toBe(1);
    expect(lines[0]).toBe('git: 1 uncommitted change(s), such as CHANGELOG.md: commit them.');
  });

  test('a tag of the version at another commit', async () => {
    git('tag', 'v1.2.3');
    expect((await check()).code).toBe(0);
    git('commit', '-q', '--allow-empty', '-m', 'One more');
    const { code, lines } = await check();
    expect(code).toBe(1);
    expect(lines[0]).toMatch(/^git: the tag v1.2.3 is at another commit/);
  });
});

test('the project itself names its placeholders, or is ready', async () => {
  const { author } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    author: { email: string };
  };
  const { lines } = await check(ROOT);
  expect(lines.some((line) => line.startsWith('package.json: author.email'))).toBe(
    author.email.endsWith('.invalid'),
  );
});
