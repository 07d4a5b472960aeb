import { RESOURCES } from '../../../nodes/MediaService/resources';
import { NodesPanel } from './support/nodes-panel';
import { NodeView } from './support/node-view';
import type { EditorTests } from './support/use-editor';
import { showWorkflow, sideBySide } from './support/workflows';

const ACTIONS = RESOURCES.flatMap(({ operations }) => operations.map(({ option }) => option.action));

export function describeNodesPanel(on: EditorTests): void {
  test(
    'the panel finds the node, lists its actions, and an action adds the node with its resource and operation',
    on.screen(async ({ page, stage }) => {
      await showWorkflow(page, await stage.import(sideBySide(stage, [])));
      const panel = await NodesPanel.open(page);
      expect((await panel.search('video upload', 'Media Service'))[0]).toBe('Media Service');
      expect((await panel.actionsOf('Media Service')).sort()).toEqual(ACTIONS.sort());
      await panel.add('Export webhook deliveries');
      const view = new NodeView(page);
      expect(await view.valueOf('resource')).toBe('Webhook Delivery');
      expect(await view.valueOf('operation')).toBe('Export');
    }),
  );
}
