import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/pack';
import { toolPath } from '../support/tool-path';

const FOLDER = join(ROOT, '.github', 'workflows');

/** The findings of actionlint, without those of programs that only some machines have. */
async function actionlint(file: string): Promise<string> {
  const path = await toolPath('actionlint');
  const args = ['-no-color', '-oneline', '-shellcheck=', '-pyflakes=', file];
  return new Promise((done, fail) => {
    execFile(path, args, { cwd: ROOT }, (error, stdout, stderr) => {
      // 1 means that there are findings.
      if (error !== null && error.code !== 1) fail(new Error(stderr, { cause: error }));
      else done(stdout);
    });
  });
}

test.each(readdirSync(FOLDER))('actionlint accepts .github/workflows/%s', async (name) => {
  expect(await actionlint(join(FOLDER, name))).toBe('');
});
