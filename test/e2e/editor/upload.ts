import { nextHeld } from '../../support/held';
import { NodeView } from './support/node-view';
import type { EditorTests } from './support/use-editor';
import { showWorkflow, sideBySide } from './support/workflows';

const NODE = 'Upload';
const PROGRESS = /kitchen\.mp4: uploading \d+ %, part \d of [23]/;

export function describeUploadConsole(on: EditorTests): void {
  test(
    'an upload shows its progress in the console, and the stop button ends the step, which says so',
    on.screen(async ({ page, stage }) => {
      const { simulator } = stage;
      const reported = page.waitForEvent('console', {
        predicate: (message) => PROGRESS.test(message.text()),
        timeout: 0,
      });
      simulator.fault('hold:always:part=2,bytes=1000');
      const held = nextHeld(simulator);
      const { path } = await stage.fixture.writeFile('kitchen.mp4', 40);
      const { url } = await stage.fixture.serveFile(path);
      const parameters = { resource: 'upload', operation: 'upload', source: 'url', url };
      await showWorkflow(page, await stage.import(sideBySide(stage, [{ name: NODE, parameters }])));
      const view = await NodeView.open(page, NODE);
      await view.execute();
      await held();
      await reported;
      await view.stop();
      await page.getByText('Execution stopped', { exact: true }).waitFor();
      await view.root.getByTestId('node-execute-button').getByText('Execute step').waitFor();
    }),
  );
}
