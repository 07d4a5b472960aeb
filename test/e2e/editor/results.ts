import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { NodeView } from './support/node-view';
import type { EditorTests } from './support/use-editor';
import { showWorkflow, sideBySide, triggerAlone } from './support/workflows';

const DELIVERIES = { resource: 'webhookDelivery', period: 'custom', from: '-60d' };

export function describeResults(on: EditorTests): void {
  test(
    'a step that searches media shows its items as a table',
    on.screen(async ({ page, stage }) => {
      const search = { name: 'Search', parameters: { limit: 7 } };
      await showWorkflow(page, await stage.import(sideBySide(stage, [search])));
      const view = await NodeView.open(page, 'Search');
      await view.execute();
      await view.items(7);
      await view.output.getByTestId('radio-button-table').click();
      // The editor loads its table when it is first needed.
      await view.output.locator('tbody tr').first().waitFor();
      const columns = await view.output.locator('th').allInnerTexts();
      expect(columns.slice(0, 4)).toEqual(['id', 'title', 'type', 'fileType']);
      expect(await view.output.locator('tbody tr').count()).toBe(7);
    }),
  );

  test(
    'a step that exports deliveries offers its file for viewing and download',
    on.screen(async ({ page, stage }) => {
      const nodes = ['CSV', 'JSON'].map((format) => ({
        name: format,
        parameters: { ...DELIVERIES, operation: 'export', format, options: { fileName: 'deliveries' } },
      }));
      await showWorkflow(page, await stage.import(sideBySide(stage, nodes)));

      const csv = await NodeView.open(page, 'CSV');
      await csv.execute();
      await csv.output.getByText('text/csv').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        csv.output.getByTestId('ndv-download-binary-data').click(),
      ]);
      const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
      expect(lines[0]).toContain('mediaId');
      expect(lines).toHaveLength(61);
      await csv.close();

      const json = await NodeView.open(page, 'JSON');
      await json.execute();
      await json.output.getByText('application/json').waitFor();
      await json.output.getByTestId('ndv-view-binary-data').click();
      await page.getByTestId('ndv').getByText('eventType').first().waitFor();
    }),
  );

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
