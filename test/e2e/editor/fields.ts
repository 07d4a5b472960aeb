import { expect, test } from '@jest/globals';
import { NodeView } from './support/node-view';
import type { EditorTests } from './support/use-editor';
import { showWorkflow, sideBySide } from './support/workflows';

/** The fields of each operation between "Operation" and the end of the form. */
const FIELDS: ReadonlyArray<readonly [resource: string, operation: string, fields: readonly string[]]> = [
  ['Media', 'Search', ['Search Term', 'Return All', 'Limit', 'Filters', 'Sort', 'Simplify']],
  ['Media', 'Get', ['Media', 'Simplify']],
  ['Webhook Delivery', 'Export', ['Format', 'Period', 'Filters', 'Put Output File in Field', 'Options']],
  ['Webhook Delivery', 'Report', ['Period', 'Group Failures By', 'Output', 'Filters', 'Options']],
  ['Webhook Delivery', 'Get Many', ['Return All', 'Limit', 'Period', 'Filters']],
  [
    'Upload',
    'Upload',
    [
      'Run Upload In',
      'Source',
      'Input Binary Field',
      'Ingest Key',
      'Title',
      'Media Fields',
      'Wait for Completion',
      'Simplify',
      'Options',
    ],
  ],
  ['Upload', 'Cancel', ['Workflow ID']],
  ['Upload', 'Get', ['Identify Upload By', 'Upload ID', 'Simplify']],
  ['Upload', 'Get Many', ['Return All', 'Limit']],
  ['Upload', 'Pause', ['Workflow ID']],
  ['Upload', 'Resume', ['Workflow ID']],
  ['Upload', 'Wait', ['Identify Upload By', 'Upload ID', 'Simplify']],
  [
    'Batch',
    'Start',
    [
      'Rows From',
      'Source',
      'Title',
      'Media Fields',
      'Row ID',
      'Folder',
      'Worker Host',
      'Batch ID',
      'Wait for Completion',
      'Options',
    ],
  ],
  ['Batch', 'Cancel', ['Batch ID']],
  ['Batch', 'Get', ['Batch ID']],
  ['Batch', 'Get Many', ['Return All', 'Limit']],
  ['Batch', 'Pause', ['Batch ID']],
  ['Batch', 'Resume', ['Batch ID']],
  ['Batch', 'Retry Failed', ['Batch ID', 'Wait for Completion']],
  ['Batch', 'Wait', ['Batch ID']],
];

const OFFERED = [
  {
    name: 'Filters of a search',
    parameters: {},
    button: 'Add Filter',
    fields: ['Active', 'IDs', 'In Library', 'Tags', 'Type'],
  },
  {
    name: 'Filters of deliveries',
    parameters: { resource: 'webhookDelivery', operation: 'getMany' },
    button: 'Add Filter',
    fields: ['Media', 'Status', 'Sub-Account'],
  },
  {
    name: 'Fields of an upload',
    parameters: { resource: 'upload', operation: 'upload' },
    button: 'Add Field',
    fields: [
      'Add to Library',
      'Creator',
      'Duration in Milliseconds',
      'File Type',
      'Include in Reports',
      'Metadata (JSON)',
      'Resolution',
      'Tags',
    ],
  },
];

export function describeFields(on: EditorTests): void {
  test(
    'each operation shows only its own fields',
    on.screen(async ({ page, stage }) => {
      await showWorkflow(page, await stage.import(sideBySide(stage, [{ name: 'Node', parameters: {} }])));
      const view = await NodeView.open(page, 'Node');
      const seen: unknown[] = [];
      for (const [resource, operation] of FIELDS) {
        await view.choose('resource', resource);
        await view.choose('operation', operation);
        const [, , ...fields] = await view.fields();
        seen.push([resource, operation, fields]);
      }
      expect(seen).toEqual(FIELDS);
    }),
  );

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

  test(
    'collections offer their optional fields',
    on.screen(async ({ page, stage }) => {
      const nodes = OFFERED.map(({ name, parameters }) => ({ name, parameters }));
      await showWorkflow(page, await stage.import(sideBySide(stage, nodes)));
      for (const { name, button, fields } of OFFERED) {
        const view = await NodeView.open(page, name);
        expect([name, await view.offered(button)]).toEqual([name, fields]);
        await page.keyboard.press('Escape');
        await view.close();
      }
    }),
  );
}
