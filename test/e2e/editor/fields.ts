import { expect, test } from '@jest/globals';
import { NodeView } from './support/node-view';
import type { EditorTests } from './support/use-editor';
import { showWorkflow, sideBySide } from './support/workflows';

export function describeFields(on: EditorTests): void {
  test(
    'fields appear and disappear with the choices that they depend on',
    on.screen(async ({ page, stage }) => {
      const nodes = [
        { name: 'Search', parameters: {} },
        { name: 'Upload', parameters: { resource: 'upload', operation: 'upload' } },
        { name: 'Get', parameters: { resource: 'upload', operation: 'get' } },
        { name: 'Batch', parameters: { resource: 'batch', operation: 'start' } },
      ];
      await showWorkflow(page, await stage.import(sideBySide(stage, nodes)));

      const search = await NodeView.open(page, 'Search');
      expect(await search.fields()).toContain('Limit');
      await search.field('returnAll').click();
      expect(await search.fields()).not.toContain('Limit');
      await search.close();

      const upload = await NodeView.open(page, 'Upload');
      await upload.choose('source', 'URL');
      expect((await upload.fields()).slice(3, 6)).toEqual(['Source', 'URL', 'Ingest Key']);
      // n8n reads no path of its disk.
      await upload.choose('runIn', 'Worker');
      await upload.choose('source', 'Path');
      expect((await upload.fields()).slice(3, 7)).toEqual(['Source', 'Path', 'Worker Host', 'Ingest Key']);
      await upload.close();

      const get = await NodeView.open(page, 'Get');
      await get.choose('by', 'Workflow ID');
      expect((await get.fields()).slice(2)).toEqual(['Identify Upload By', 'Workflow ID']);
      await get.close();

      const batch = await NodeView.open(page, 'Batch');
      await batch.choose('rowsFrom', 'Manifest');
      expect((await batch.fields()).slice(2, 5)).toEqual(['Rows From', 'Manifest', 'Folder']);
    }),
  );
}
