/**
 * A stage with a browser on its editor, for all tests of a file.
 *
 *     const on = useEditor();
 *     test('…', on.screen(async ({ page }) => { … }));
 *
 * A failed test saves a picture of the screen and the page's console in a folder that its error names.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTempDir } from '../../../support/temp-dir';
import { useStage } from '../../support/n8n-stage';
import type { Stage } from '../../support/n8n-stage';
import { openEditorBrowser } from './editor-browser';
import type { EditorBrowser } from './editor-browser';

/** The stage and its browser, for a test. */
export interface Screen extends EditorBrowser {
  readonly stage: Stage;
}

export interface EditorTests {
  /** The function for `test` or `test.each`: it calls the body with a screen before the row's own arguments. */
  screen<Row extends unknown[]>(
    body: (screen: Screen, ...row: Row) => Promise<void>,
  ): (...row: Row) => Promise<void>;
}

export function useEditor(): EditorTests {
  const on = useStage({ withEditor: true });
  let browser: EditorBrowser | undefined;
  beforeAll(async () => {
    browser = await openEditorBrowser(on.n8n);
  });
  afterAll(() => browser?.close());
  return {
    screen:
      (body) =>
      async (...row) => {
        if (browser === undefined) throw new Error('The browser is opened before the first test.');
        const shown = browser;
        await body({ ...shown, stage: on }, ...row).catch(async (error: unknown) => {
          throw await withEvidence(shown, error);
        });
      },
  };
}

/** The same error, which now names the folder with the evidence. */
async function withEvidence({ page, console: log }: EditorBrowser, thrown: unknown): Promise<Error> {
  const { path } = await createTempDir('editor-failure');
  await page.screenshot({ path: join(path, 'screen.png') });
  await writeFile(join(path, 'console.txt'), `${page.url()}\n${log()}\n`);
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { message, stack = '' } = error;
  error.message = `${message}\nThe screen and the page's console are in ${path}`;
  error.stack = stack.replace(message, () => error.message);
  return error;
}
