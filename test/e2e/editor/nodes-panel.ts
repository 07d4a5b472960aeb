import { expect, test } from '@jest/globals';
import { NodesPanel } from './support/nodes-panel';
import { NodeView } from './support/node-view';
import type { EditorTests } from './support/use-editor';
import { showWorkflow, sideBySide } from './support/workflows';

const ACTIONS = [
  'Search media',
  'Get a media item',
  'Export webhook deliveries',
  'Get many webhook deliveries',
  'Create a failure report',
  'Upload a file',
  'Cancel an upload',
  'Get an upload',
  'Get many uploads',
  'Pause an upload',
  'Resume an upload',
  'Wait for an upload',
  'Start a batch',
  'Cancel a batch',
  'Get a batch',
  'Get many batches',
  'Get results of a batch',
  'Pause a batch',
  'Resume a batch',
  'Retry failed rows of a batch',
  'Wait for a batch',
];

export function describeNodesPanel(on: EditorTests): void {
  test.each(['media service', 'video upload', 'webhook delivery'])(
    'the node is found in the nodes panel by "%s"',
    on.screen(async ({ page, stage }, words: string) => {
      await showWorkflow(page, await stage.import(sideBySide(stage, [])));
      const panel = await NodesPanel.open(page);
      expect((await panel.search(words, 'Media Service'))[0]).toBe('Media Service');
    }),
  );

  test(
    'the panel lists the actions of the node, and an action adds the node with its resource and operation',
    on.screen(async ({ page, stage }) => {
      await showWorkflow(page, await stage.import(sideBySide(stage, [])));
      const panel = await NodesPanel.open(page);
      await panel.search('media service', 'Media Service');
      expect(await panel.actionsOf('Media Service')).toEqual(ACTIONS);
      await panel.add('Export webhook deliveries');
      const view = new NodeView(page);
      expect(await view.valueOf('resource')).toBe('Webhook Delivery');
      expect(await view.valueOf('operation')).toBe('Export');
    }),
  );
}
