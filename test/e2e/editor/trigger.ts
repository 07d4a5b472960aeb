import { NodeView } from './support/node-view';
import type { EditorTests } from './support/use-editor';
import { showWorkflow, triggerAlone } from './support/workflows';

export function describeTrigger(on: EditorTests): void {
  test(
    '"Fetch Test Event" of the trigger returns the newest delivery',
    on.screen(async ({ page, stage }) => {
      stage.fixture.simulator.addDelivery({ eventType: 'media.newest' });
      await showWorkflow(page, await stage.import(triggerAlone(stage, { event: 'delivery' })));
      const view = await NodeView.open(page, 'Trigger');
      expect(await view.fields()).toEqual(['Poll Times', 'Mode', 'Event', 'Filters', 'Options']);
      await view.execute();
      await view.items(1);
      await view.output.getByText('media.newest').waitFor();
    }),
  );
}
