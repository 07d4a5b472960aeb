import { describe, expect, test } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import type { runNode } from './support/run-workflow';
import { useService } from './support/service-setting';

const on = useService();

const run = (parameters: INodeParameters): ReturnType<typeof runNode> =>
  on.run(parameters, { items: [{ json: { empty: null, text: '', list: [] } }] });

const search = { resource: 'media', operation: 'search', limit: 1 };
const get = { resource: 'media', operation: 'get' };
const getMany = {
  resource: 'webhookDelivery',
  operation: 'getMany',
  limit: 1,
  period: 'custom',
  from: '-60d',
};
const exported = { resource: 'webhookDelivery', operation: 'export', period: 'custom', from: '-60d' };
const report = { resource: 'webhookDelivery', operation: 'report', period: 'yesterday', interval: 'auto' };
const upload = {
  resource: 'upload',
  operation: 'upload',
  source: 'url',
  url: 'http://127.0.0.1:9/a.mp4',
  wait: true,
};

const byWorker = { ...upload, runIn: 'temporal' };

const ABSENT = '={{ $json.absent }}';
const chosenBy = (value: string): INodeParameters => ({ __rl: true, mode: 'id', value });

/** Without the refusal, each of these would do more or something else than requested. */
const FIELDS: { field: string; parameters: (value: string) => INodeParameters }[] = [
  { field: 'Limit', parameters: (limit) => ({ ...search, limit }) },
  { field: 'Return All', parameters: (returnAll) => ({ ...search, returnAll }) },
  { field: 'Simplify', parameters: (simplify) => ({ ...search, simplify }) },
  { field: 'IDs', parameters: (ids) => ({ ...search, filters: { ids } }) },
  { field: 'Search Term', parameters: (searchTerm) => ({ ...search, searchTerm }) },
  { field: 'Type', parameters: (type) => ({ ...search, filters: { type } }) },
  { field: 'In Library', parameters: (isLibrary) => ({ ...search, filters: { isLibrary } }) },
  { field: 'Tags (JSON)', parameters: (tagsJson) => ({ ...search, filters: { tagsJson } }) },
  {
    field: 'Tags',
    parameters: (value) => ({
      ...search,
      filters: { tags: { tag: [{ key: chosenBy('project'), value: chosenBy(value) }] } },
    }),
  },
  {
    field: 'Direction',
    parameters: (direction) => ({ ...search, sort: { rule: [{ property: 'title', direction }] } }),
  },
  { field: 'Page', parameters: (page) => ({ ...search, options: { page } }) },
  { field: 'From', parameters: (from) => ({ ...getMany, from }) },
  { field: 'To', parameters: (to) => ({ ...getMany, to }) },
  { field: 'Status', parameters: (status) => ({ ...getMany, filters: { status } }) },
  { field: 'Media', parameters: (value) => ({ ...getMany, filters: { mediaId: chosenBy(value) } }) },
  { field: 'Media', parameters: (mediaId) => ({ ...getMany, filters: { mediaId } }) },
  {
    field: 'Sub-Account',
    parameters: (value) => ({ ...getMany, filters: { subAccountId: chosenBy(value) } }),
  },
  { field: 'Format', parameters: (format) => ({ ...exported, format }) },
  { field: 'File Name', parameters: (fileName) => ({ ...exported, format: 'CSV', options: { fileName } }) },
  { field: 'Period', parameters: (period) => ({ ...report, period }) },
  { field: 'Media', parameters: (value) => ({ ...get, mediaId: chosenBy(value) }) },
  { field: 'Simplify', parameters: (simplify) => ({ ...get, mediaId: chosenBy('m-1'), simplify }) },
  { field: 'Output', parameters: (output) => ({ ...report, output }) },
  { field: 'Group Failures By', parameters: (groups) => ({ ...report, groups }) },
  { field: 'Media', parameters: (value) => ({ ...report, filters: { mediaId: chosenBy(value) } }) },
  { field: 'Ingest Key', parameters: (ingestKey) => ({ ...upload, options: { ingestKey } }) },
  { field: 'Title', parameters: (title) => ({ ...upload, title }) },
  { field: 'Creator', parameters: (creator) => ({ ...upload, media: { creator } }) },
  { field: 'Worker Host', parameters: (host) => ({ ...byWorker, source: 'path', path: '/a.mp4', host }) },
  { field: 'Wait for Completion', parameters: (wait) => ({ ...upload, wait }) },
  { field: 'Force New Upload', parameters: (again) => ({ ...upload, options: { again } }) },
  {
    field: 'Cancel Upload When Execution Is Canceled',
    parameters: (cancelWithExecution) => ({ ...byWorker, options: { cancelWithExecution } }),
  },
];

describe.each(FIELDS)('an expression of "$field"', ({ field, parameters }) => {
  test.each([
    ['reads what is not there', ABSENT],
    ['reads inside what is not there', '={{ $json.a.b.c }}'],
    ['gives null', '={{ $json.empty }}'],
  ])('that %s is refused by that name, and nothing is sent', async (_what, value) => {
    const { requests } = on.simulator.seen();
    const { error, items } = await run(parameters(value));
    expect(error?.message).toBe(`The expression in "${field}" returned no value`);
    expect(error?.description).toMatch(/Check what it reads/);
    expect(items).toEqual([]);
    expect(on.simulator.seen().requests).toEqual(requests);
  });
});

describe('an expression with an empty text', () => {
  test.each([
    ['Limit', { ...search, limit: '={{ $json.text }}' }],
    ['Return All', { ...search, returnAll: '={{ $json.text }}' }],
    ['From', { ...getMany, from: '={{ $json.text }}' }],
    ['Format', { ...exported, format: '={{ $json.text }}' }],
    ['Period', { ...report, period: '={{ $json.text }}' }],
    ['Media', { ...get, mediaId: chosenBy('={{ $json.text }}') }],
  ])('is refused for "%s", which is required', async (field, parameters) => {
    const { requests } = on.simulator.seen();
    const { error } = await run(parameters);
    expect(error?.message).toBe(`"${field}" is empty`);
    expect(on.simulator.seen().requests).toEqual(requests);
  });

  test.each([
    ['Search Term', { ...search, searchTerm: '={{ $json.absent ?? "" }}' }],
    ['In Library', { ...search, filters: { isLibrary: '={{ $json.text }}' } }],
    ['Media', { ...getMany, filters: { mediaId: chosenBy('={{ $json.text }}') } }],
    ['To', { ...getMany, to: '={{ $json.text }}' }],
  ])('leaves "%s" out, as an empty field of the form does', async (_field, parameters) => {
    const { error, items } = await run(parameters);
    expect([error, items.length]).toEqual([undefined, 1]);
  });
});

test('Upload > Wait for an upload inside n8n, given an unknown workflow ID, says how else to name the upload', async () => {
  const { error } = await run({ resource: 'upload', operation: 'wait', by: 'workflowId' });
  expect(error?.description).toMatch(/An upload inside n8n has none: .*Upload ID/);
});

test.each(['={{ "false" }}', '={{ "FALSE" }}', '={{ " false " }}'])(
  'the text %s counts as false',
  async (returnAll) => {
    const { error, items } = await run({ ...search, returnAll });
    expect([error, items.length]).toEqual([undefined, 1]);
  },
);

test('a text that is neither true nor false is refused, and nothing is sent', async () => {
  const { requests } = on.simulator.seen();
  const { error } = await run({ ...search, returnAll: '={{ "yes" }}' });
  expect(error?.message).toBe('"Return All" must be true or false');
  expect(on.simulator.seen().requests).toEqual(requests);
});

test.each([
  ['a DateTime', '={{ DateTime.fromISO("soon") }}'],
  ['a Date', '={{ new Date("soon") }}'],
])('a "To" that is %s and not a valid time is refused, and not replaced by now', async (_what, to) => {
  const { error } = await run({ ...getMany, to });
  expect(error?.message).toBe('"To" isn\'t a valid date');
});

test('an empty list of IDs finds no media instead of all', async () => {
  const { error, items } = await run({ ...search, filters: { ids: '={{ $json.list }}' } });
  expect([error?.message, items]).toEqual(['"IDs" is an empty list', []]);
});
