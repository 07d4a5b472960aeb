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
const report = { resource: 'webhookDelivery', operation: 'report', period: 'yesterday' };
const upload = {
  resource: 'upload',
  operation: 'upload',
  source: 'url',
  url: 'http://127.0.0.1:9/a.mp4',
  wait: true,
};

const ABSENT = '={{ $json.absent }}';

const NOTHING = [
  ['reads what is not there', ABSENT],
  ['reads inside what is not there', '={{ $json.a.b.c }}'],
  ['gives null', '={{ $json.empty }}'],
] as const;
const EMPTY = [...NOTHING, ['gives an empty text', '={{ $json.text }}']] as const;

/** Fields without which the node would do more or something else than asked. */
const NEEDED: { field: string; parameters: (value: string) => INodeParameters }[] = [
  { field: 'Limit', parameters: (limit) => ({ ...search, limit }) },
  { field: 'Return All', parameters: (returnAll) => ({ ...search, returnAll }) },
  { field: 'IDs', parameters: (ids) => ({ ...search, filters: { ids } }) },
  { field: 'From', parameters: (from) => ({ ...getMany, from }) },
  { field: 'Format', parameters: (format) => ({ ...exported, format }) },
  { field: 'Period', parameters: (period) => ({ ...report, period }) },
  { field: 'Media ID', parameters: (value) => ({ ...get, mediaId: value }) },
  { field: 'Wait for Completion', parameters: (wait) => ({ ...upload, wait }) },
];

describe.each(NEEDED)('an expression of "$field"', ({ field, parameters }) => {
  test.each(EMPTY)('that %s is refused by that name, and nothing is sent', async (_what, value) => {
    const { requests } = on.simulator.seen();
    const { error, items } = await run(parameters(value));
    expect(error?.message).toBe(`"${field}" is empty`);
    expect(items).toEqual([]);
    expect(on.simulator.seen().requests).toEqual(requests);
  });
});

describe.each<{ field: string; parameters: (value: string) => INodeParameters }>([
  { field: 'Search Term', parameters: (searchTerm) => ({ ...search, searchTerm }) },
  { field: 'Type', parameters: (type) => ({ ...search, filters: { type } }) },
  { field: 'In Library', parameters: (isLibrary) => ({ ...search, filters: { isLibrary } }) },
  { field: 'Tags', parameters: (tags) => ({ ...search, filters: { tags } }) },
  { field: 'Simplify', parameters: (simplify) => ({ ...search, simplify }) },
  { field: 'To', parameters: (to) => ({ ...getMany, to }) },
  { field: 'Status', parameters: (status) => ({ ...getMany, filters: { status } }) },
  { field: 'Media ID', parameters: (value) => ({ ...getMany, filters: { mediaId: value } }) },
])('an expression of "$field", which is optional,', ({ parameters }) => {
  test.each(EMPTY)('that %s leaves the field out', async (_what, value) => {
    const { error, items } = await run(parameters(value));
    expect([error, items.length]).toEqual([undefined, 1]);
  });
});

test.each(NOTHING)(
  'an expression of "Ingest Key" that %s is refused, and nothing is sent',
  async (_what, ingestKey) => {
    const { requests } = on.simulator.seen();
    const { error } = await run({ ...upload, ingestKey });
    expect(error?.message).toBe('The expression in "Ingest Key" returned no value');
    expect(on.simulator.seen().requests).toEqual(requests);
  },
);

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

test.each([
  ['a DateTime', '={{ DateTime.fromISO("soon") }}'],
  ['a Date', '={{ new Date("soon") }}'],
])('a "To" that is %s and not a valid time is refused, and not replaced by now', async (_what, to) => {
  const { error } = await run({ ...getMany, to });
  expect(error?.message).toBe('"To" isn\'t a valid date');
});

test.each(['={{ $json.list }}', '', ','])(
  'IDs that are empty (%j) find no media instead of all',
  async (ids) => {
    const { error, items } = await run({ ...search, filters: { ids } });
    expect([error?.message, items]).toEqual(['"IDs" is empty', []]);
  },
);
