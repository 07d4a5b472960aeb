import { expect, test } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import { secretsIn } from '../../support/canary';
import { SECRET_TRACES } from '../support/service-fixture';
import { NodeView } from './support/node-view';
import type { ShownError } from './support/node-view';
import { useEditor } from './support/use-editor';
import { showWorkflow, sideBySide } from './support/workflows';

const SEARCH = {};
const DELIVERIES = { resource: 'webhookDelivery', operation: 'getMany', period: 'custom' };
const UPLOAD = { resource: 'upload', operation: 'upload', source: 'url' };
const UPLOAD_OF_URL = { ...UPLOAD, url: 'http://127.0.0.1:1/kitchen.mp4' };
const on = useEditor({ service: { temporal: false } });

interface BadInput extends ShownError {
  readonly what: string;
  readonly parameters: INodeParameters;
  /** Types what the user types. */
  readonly type: (view: NodeView) => Promise<void>;
}

const REFUSED_BY_NODE: readonly BadInput[] = [
  {
    what: 'a date that no calendar has',
    parameters: DELIVERIES,
    type: (view) => view.writeExpression('from', '{{ "31 Nov 2026" }}'),
    message: '"From" isn\'t a valid date: "31 Nov 2026"',
    description:
      'Write 2026-11-01, "2026-11-01 07:00", 2026-11-01T07:00:00+01:00, -24h, -7d, now, today or yesterday.',
  },
  {
    what: 'a range that ends before it begins',
    parameters: DELIVERIES,
    type: async (view) => {
      await view.writeExpression('from', '{{ "2026-11-02T00:00:00Z" }}');
      await view.writeExpression('to', '{{ "2026-11-01T00:00:00Z" }}');
    },
    message:
      '"From" must be before the end of the period (2026-11-01T01:00+01:00), but is 2026-11-02T01:00+01:00',
    description: 'The end itself is not included: for one whole day, use the next day as the end.',
  },
  {
    what: 'a limit below zero',
    parameters: SEARCH,
    type: (view) => view.writeExpression('limit', '{{ -5 }}'),
    message: '"Limit" is -5: it must be a whole number of at least 1',
    description: 'To get everything, turn on Return All.',
  },
  {
    what: 'a page size over the limit',
    parameters: SEARCH,
    type: async (view) => {
      await view.add('Add Option', 'Page Size');
      await view.writeExpression('pageSize', '{{ 5000 }}');
    },
    message: '"Page Size" is 5000: it must be between 1 and 1000',
    description: 'To get more, turn on Return All.',
  },
  {
    what: 'JSON with a comma too many',
    parameters: SEARCH,
    type: async (view) => {
      await view.add('Add Filter', 'Tags (JSON)');
      await view.write('tagsJson', '{"campaign": "spring",}');
    },
    message: '"Tags (JSON)" isn\'t valid JSON',
    description: 'Write it as {"key": "value"}, with double quotes and no comma at the end.',
  },
  {
    what: 'a list instead of an object',
    parameters: UPLOAD_OF_URL,
    type: async (view) => {
      await view.add('Add Field', 'Metadata (JSON)');
      await view.write('metadata', '[1, 2]');
    },
    message: '"Metadata (JSON)" isn\'t a JSON object',
    description: 'Write it as {"key": "value"}.',
  },
  {
    what: 'a metadata key that is reserved',
    parameters: UPLOAD_OF_URL,
    type: async (view) => {
      await view.add('Add Field', 'Metadata (JSON)');
      await view.write('metadata', '{"failureReason": "none"}');
    },
    message: 'the metadata key "failureReason" is reserved by the service',
    description: 'Choose another key.',
  },
  {
    what: 'an expression that gives an object instead of a text',
    parameters: SEARCH,
    type: async (view) => {
      await view.writeExpression('searchTerm', '{{ ({ a: 1 }) }}');
    },
    message: '"Search Term" must be text',
    description: 'Check the expression: it returned true or false, a list or an object.',
  },
  {
    what: 'an expression that gives a text instead of a number',
    parameters: SEARCH,
    type: (view) => view.writeExpression('limit', '{{ "many" }}'),
    message: '"Limit" must be a number',
    description: 'Check what its expression returns.',
  },
  {
    what: 'an expression that gives nothing for a required field',
    parameters: UPLOAD,
    type: (view) => view.writeExpression('url', '{{ $json.missing }}'),
    message: '"URL" is empty for this item',
    description: 'Fill it in, or check its expression.',
  },
  {
    what: 'a malformed address',
    parameters: UPLOAD,
    type: (view) => view.write('url', 'kitchen.mp4'),
    message: '"URL" must start with http:// or https://',
    description: 'Enter the full address.',
  },
  {
    what: 'a negative duration',
    parameters: UPLOAD_OF_URL,
    type: async (view) => {
      await view.add('Add Field', 'Duration (ms)');
      await view.writeExpression('duration', '{{ -1 }}');
    },
    message: '"Duration (ms)" must be a whole number of milliseconds, 0 or more',
    description: '',
  },
  {
    what: 'a binary field that the item does not have',
    parameters: { ...UPLOAD, source: 'binary' },
    type: (view) => view.write('binaryPropertyName', 'video'),
    message:
      "This operation expects the node's input data to contain a binary file 'video', but none was found [item 0]",
    description: 'Make sure that the previous node outputs a binary file',
  },
  {
    what: 'a path although no folder is allowed',
    parameters: { ...UPLOAD, source: 'path' },
    type: (view) => view.write('path', '/etc/passwd'),
    message: "the file /etc/passwd can't be read: reading files from disk is turned off",
    description:
      'Ask your administrator to set MEDIA_SERVICE_FILE_ROOTS to the folders that files may be uploaded from.',
  },
  {
    what: 'the progress of a workflow without a Temporal credential',
    parameters: { resource: 'upload', operation: 'get', by: 'workflowId' },
    type: (view) => view.write('workflowId', 'upload/some'),
    message: 'This operation needs the credential "Temporal API"',
    description:
      'It controls uploads that run on a Temporal worker. Choose a "Temporal API" credential in this node. To read an upload inside n8n, use Get or Wait with its upload ID. To end it, stop its execution.',
  },
];

/** The workflow with all cases is opened only once, since loading the editor takes longer than a case. */
let ready = false;

test.each(REFUSED_BY_NODE)(
  '$what is refused with the field name and what to write instead',
  on.screen(async ({ page, stage }, { what, type, message, description }: BadInput) => {
    if (!ready) {
      const nodes = REFUSED_BY_NODE.map(({ what: name, parameters }) => ({ name, parameters }));
      await showWorkflow(page, await stage.import(sideBySide(stage, nodes)));
    }
    ready = false;
    const view = await NodeView.open(page, what);
    await type(view);
    await view.execute();
    const error = await view.error();
    await view.close();
    ready = true;
    expect(error).toEqual({ message, description });
  }),
);

test(
  'a required field that is empty keeps the step from starting, and the message names it',
  on.screen(async ({ page, stage }) => {
    const node = { name: 'Media Service', parameters: UPLOAD };
    await showWorkflow(page, await stage.import(sideBySide(stage, [node])));
    const view = await NodeView.open(page, 'Media Service');
    await view.execute();
    const toast = page.getByRole('alert').filter({ hasText: 'Workflow execution cannot start' });
    expect(await toast.innerText()).toContain('Parameter "URL" is required.');
  }),
);

test(
  'a step without a credential says which one it lacks',
  on.screen(async ({ page, stage }) => {
    // The editor chooses a credential by itself if there is one.
    const id = stage.credentials['mediaServiceApi']?.id ?? '';
    await stage.n8n.rest.request('DELETE', `/credentials/${id}`);
    const node = { name: 'Media Service', parameters: SEARCH, credentials: {} };
    await showWorkflow(page, await stage.import(sideBySide(stage, [node])));
    const view = await NodeView.open(page, 'Media Service');
    await view.execute();
    expect(await view.error()).toEqual({
      message: 'Node does not have any credentials set for "mediaServiceApi"',
      description: '',
    });
  }),
);

test(
  'the browser receives no secret',
  on.screen(async ({ received }) => {
    const text = await received();
    expect(text.includes('31 Nov 2026')).toBe(true);
    expect(secretsIn(text, SECRET_TRACES)).toEqual([]);
  }),
);
