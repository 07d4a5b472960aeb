import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/pack';
import { printedBy } from './printed-by';

const FOLDER = join(ROOT, '.github', 'workflows');
const files = readdirSync(FOLDER);
const textOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

/** What each step of a workflow runs, in order. */
const runs = (text: string): readonly string[] =>
  [...text.matchAll(/^ +(?:- )?run: (.+)$/gm)].map(([, command = '']) => command);

test.each(files)('%s names every action by its commit, with the version beside it', (name) => {
  const used = [...textOf(name).matchAll(/uses: (.+)$/gm)].map(([, action = '']) => action);
  expect(used.length).toBeGreaterThan(0);
  const pinned = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  expect(used.filter((action) => !action.startsWith('./') && !pinned.test(action))).toEqual([]);
});

test.each(files)('%s may only read, unless a job says otherwise', (name) => {
  expect(textOf(name)).toMatch(/^permissions:\n {2}contents: read$/m);
});

test('one workflow runs all checks and suites, each in one of its jobs', async () => {
  const text = textOf('ci.yml');
  expect(runs(text)).toContain('.ci/run ${{ matrix.parts }}');
  const [, list = ''] = /^ {8}parts:\n((?: {10}- .+\n)+)/m.exec(text) ?? [];
  const code = `import { CI_SUITE_NAMES } from './tools/suites.mjs'; console.log(CI_SUITE_NAMES.join(' '));`;
  const suites = (await printedBy(code)).split(' ');
  expect(list.replaceAll('- ', '').trim().split(/\s+/).sort()).toEqual(['checks', ...suites].sort());
});

test('one workflow runs each night what CI leaves out', () => {
  const text = textOf('nightly.yml');
  expect(text).toMatch(/^ {2}schedule:$/m);
  expect(runs(text)).toContain('npm run nightly');
});

test('both packages are published after all suites, with a signed provenance statement', () => {
  const text = textOf('publish.yml');
  expect(text).toMatch(/^ {4}uses: \.\/\.github\/workflows\/ci\.yml$/m);
  expect(text).toMatch(/^ {4}needs: ci$/m);
  expect(text).toMatch(/^ {6}id-token: write/m);
  expect(text).toMatch(/^ {6}- run: npm publish \.\/media-service-\*\.tgz --provenance --access public$/m);
  expect(text).toMatch(
    /^ {6}- run: npm publish \.\/n8n-nodes-media-service-\*\.tgz --provenance --access public$/m,
  );
});
