import type { INode, INodeExecutionData } from 'n8n-workflow';
import { afterEach, describe, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createService } from '../../../api/service/create-service';
import { createUndiciTransport } from '../../../api/transport/undici-transport';
import { downloadBinary, runWorkflow } from '../support/n8n-executions';
import { asText } from '../../n8n/support/as-text';
import { secretsIn } from '../../support/canary';
import { secretsKept } from '../support/kept-by-n8n';
import { NODE_NAME, nodeOf, useStage, workflowOf } from '../support/n8n-stage';
import { SECRET_TRACES } from '../support/service-fixture';

const on = useStage({ env: { N8N_LOG_LEVEL: 'debug' }, service: { temporal: false } });
afterEach(() => on.stage.fixture.simulator.clearFaults());

const WHOLE_TIME = { period: 'custom', from: '-60d', to: new Date().toISOString() };

describe('Media > Search', () => {
  test('returns each media of the service once, page by page', async () => {
    const { items, error } = await on.stage.run({
      resource: 'media',
      operation: 'search',
      returnAll: true,
      options: { pageSize: 7 },
    });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(on.stage.fixture.simulator.seen().media);
    expect(new Set(items.map(({ json }) => json['id'])).size).toBe(items.length);
  });

  test('applies filters, sort rules and limit', async () => {
    const { items } = await on.stage.run({
      resource: 'media',
      operation: 'search',
      limit: 4,
      filters: { type: 'IMAGE' },
      sort: { rule: [{ property: 'title', direction: 'DESC', ignoreCase: true }] },
    });
    const titles = items.map(({ json }) => asText(json['title']).toLowerCase());
    expect(items.map(({ json }) => json['type'])).toEqual(titles.map(() => 'IMAGE'));
    expect(titles).toEqual([...titles].sort().reverse());
    expect(titles.length).toBeGreaterThan(1);
  });
});

describe('Webhook Delivery', () => {
  test('Get Many returns each delivery of the range once', async () => {
    const { items, error } = await on.stage.run({
      resource: 'webhookDelivery',
      operation: 'getMany',
      returnAll: true,
      ...WHOLE_TIME,
    });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(on.stage.fixture.simulator.seen().deliveries);
    expect(new Set(items.map(({ json }) => json['id'])).size).toBe(items.length);
  });

  test('Export as CSV is byte for byte the text of the service, with one header', async () => {
    const { items, error } = await on.stage.run({
      resource: 'webhookDelivery',
      operation: 'export',
      format: 'CSV',
      options: { pageSize: 25, fileName: 'deliveries.csv' },
      ...WHOLE_TIME,
    });
    expect(error).toBeUndefined();
    const pages = await csvPages(25);
    const header = (pages[0] ?? '').split(/(?<=\n)/)[0] ?? '';
    const joined = header + pages.map((page) => page.slice(header.length)).join('');
    expect(pages.length).toBe(3);
    expect((await downloadBinary(on.stage.n8n.rest, items[0])).toString('utf8')).toBe(joined);
    expect(items[0]?.binary?.['data']).toMatchObject({ mimeType: 'text/csv', fileName: 'deliveries.csv' });
  });

  test.each([
    { format: 'JSON', records: (text: string): unknown => JSON.parse(text) },
    {
      format: 'JSONL',
      records: (text: string): unknown =>
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
    },
  ])('Export as $format holds the records of Get Many', async ({ format, records }) => {
    const of = { resource: 'webhookDelivery', ...WHOLE_TIME };
    const exported = await on.stage.run({ ...of, operation: 'export', format });
    const listed = await on.stage.run({ ...of, operation: 'getMany', returnAll: true });
    const text = (await downloadBinary(on.stage.n8n.rest, exported.items[0])).toString('utf8');
    expect(records(text)).toEqual(listed.items.map(({ json }) => json));
  });
});

describe('Webhook Delivery > Report', () => {
  test('counts what the service holds, and builds mail and files inside n8n', async () => {
    const all = { resource: 'webhookDelivery', ...WHOLE_TIME };
    const { items, error } = await on.stage.run({
      ...all,
      operation: 'report',
      output: ['csv', 'html', 'mail'],
    });
    expect(error).toBeUndefined();
    const { items: listed } = await on.stage.run({ ...all, operation: 'getMany', returnAll: true });
    const failed = listed.filter(({ json }) => json['status'] === 'FAILED').length;
    expect(items[0]?.json).toMatchObject({
      totals: { total: listed.length, failed, success: listed.length - failed },
      subject: expect.stringContaining(String(failed)),
    });
    const html = (await downloadBinary(on.stage.n8n.rest, items[0], 'html')).toString('utf8');
    expect(html).toContain('<svg');
    expect(items[0]?.json['html']).toBe(html);
    const csv = (await downloadBinary(on.stage.n8n.rest, items[0], 'csv')).toString('utf8');
    expect(csv.split('\n').length).toBeGreaterThan(3);
  });
});

describe("n8n's command line", () => {
  test('imports credentials and a workflow, and its execution returns what REST returns', async () => {
    const { n8n, fixture } = on.stage;
    const credential = { id: 'fromcli000000001', name: 'From the command line', type: 'mediaServiceApi' };
    const parameters = { resource: 'media', operation: 'search', limit: 3 };
    const credentials = { mediaServiceApi: { id: credential.id, name: credential.name } };
    const workflow = {
      id: 'fromcli000000002',
      name: 'CLI',
      active: false,
      ...workflowOf(parameters, { credentials }),
    };
    const folder = fixture.folder;
    await writeFile(
      join(folder, 'credentials.json'),
      JSON.stringify([{ ...credential, data: fixture.credentials.mediaServiceApi }]),
    );
    await writeFile(join(folder, 'workflow.json'), JSON.stringify([workflow]));
    await n8n.cli(['import:credentials', `--input=${join(folder, 'credentials.json')}`]);
    await n8n.cli(['import:workflow', `--input=${join(folder, 'workflow.json')}`]);
    const output = await n8n.cli(['execute', `--id=${workflow.id}`, '--rawOutput'], {
      N8N_LOG_LEVEL: 'info',
    });
    // n8n prints into its log. The data begins and ends with a line of its own.
    const answer = JSON.parse(/^\{\n[^]*^\}$/m.exec(output)?.[0] ?? '') as {
      data: { resultData: { runData: Record<string, { data: { main: { json: unknown }[][] } }[]> } };
    };
    const { items } = await on.stage.run(parameters);
    const given = answer.data.resultData.runData[NODE_NAME]?.[0]?.data.main[0]?.map(({ json }) => json);
    expect(given).toEqual(items.map(({ json }) => json));
    expect(secretsIn(output, SECRET_TRACES)).toEqual([]);
  });
});

describe('wrong input', () => {
  const search = { resource: 'media', operation: 'search', limit: 1 };

  test('sends 10,000 refused items to the error output, each paired with its own item', async () => {
    const many = nodeOf('Many', 'n8n-nodes-base.code', {
      jsCode: 'return Array.from({ length: 10000 }, (_, n) => ({ json: { n } }));',
    });
    const one = workflowOf({ ...search, limit: '={{ -$json.n - 1 }}' }, { onError: 'continueErrorOutput' });
    const id = await on.stage.import({
      nodes: [...one.nodes.map(withServiceCredential), { ...many, typeVersion: 2 }],
      connections: {
        Start: { main: [[{ node: 'Many', type: 'main', index: 0 }]] },
        Many: { main: [[{ node: NODE_NAME, type: 'main', index: 0 }]] },
      },
    });
    const before = on.stage.fixture.simulator.seen().requests['search'];
    const execution = await runWorkflow(on.stage.n8n.rest, id);
    const errors = execution.output(NODE_NAME, 1);
    expect([execution.status, execution.output(NODE_NAME).length]).toEqual(['success', 0]);
    expect(errors).toHaveLength(10_000);
    expect(
      errors.every(({ json, pairedItem }, index) => json['n'] === index && isPair(pairedItem, index)),
    ).toBe(true);
    expect(errors[9_999]?.json).toMatchObject({ error: expect.stringMatching(/limit/i) });
    expect(on.stage.fixture.simulator.seen().requests['search']).toBe(before);
  });

  test('ends the execution with the index of the wrong item, or leaves the other items alone', async () => {
    const items = [2, -1, 3].map((limit) => ({ json: { limit } }));
    const parameters = { ...search, limit: '={{ $json.limit }}' };
    const stopped = await on.stage.run(parameters, { items });
    expect(stopped.status).toBe('error');
    expect(stopped.error).toMatchObject({
      message: expect.stringMatching(/limit/i),
      context: { itemIndex: 1 },
    });
    const kept = await on.stage.run(parameters, { items, onError: 'continueRegularOutput' });
    expect(kept.items.map(({ pairedItem }) => pairedItem)).toEqual(
      [0, 0, 1, 2, 2, 2].map((item) => expect.objectContaining({ item })),
    );
    const split = await on.stage.run(parameters, { items, onError: 'continueErrorOutput' });
    expect([split.items.length, split.errorItems.length]).toEqual([5, 1]);
  });

  test.each([
    { what: 'a text for a number', parameters: { ...search, limit: '={{ "many" }}' }, message: /limit/i },
    {
      what: 'a list for a text',
      parameters: { ...search, searchTerm: '={{ [1, 2] }}' },
      message: /Search Term/,
    },
    {
      what: 'an unknown type',
      parameters: { ...search, filters: { type: '={{ "MOVIE" }}' } },
      message: /Type.*VIDEO/s,
    },
    {
      what: 'an expression that fails',
      parameters: { ...search, limit: '={{ $("Nowhere").first().json.n }}' },
      message: /Referenced node doesn't exist/,
    },
  ])('names an expression that gives $what, and sends nothing', async ({ parameters, message }) => {
    const before = on.stage.fixture.simulator.seen().requests['search'];
    const { status, error } = await on.stage.run(parameters);
    expect(status).toBe('error');
    expect(error?.message).toMatch(message);
    expect(on.stage.fixture.simulator.seen().requests['search']).toBe(before);
  });

  test('reports a refusal of the service with its status and what to do', async () => {
    on.stage.fixture.simulator.fault('search-403');
    const { error } = await on.stage.run(search);
    expect(error).toMatchObject({ httpCode: '403' });
  });
});

test('after all of this n8n holds no secret in its database, log or files', async () => {
  const term = 'a-text-that-n8n-does-keep';
  await on.stage.run({ resource: 'media', operation: 'search', searchTerm: term });
  expect((await secretsKept(on.stage.n8n, [term])).length).toBeGreaterThan(0);
  expect(await secretsKept(on.stage.n8n, SECRET_TRACES)).toEqual([]);
});

const isPair = (pair: INodeExecutionData['pairedItem'], index: number): boolean =>
  typeof pair === 'object' && !Array.isArray(pair) && pair.item === index;

const withServiceCredential = (node: INode): INode =>
  node.name === NODE_NAME ? { ...node, credentials: { mediaServiceApi: { id: null, name: '' } } } : node;

/** The pages of CSV as the service sends them. */
async function csvPages(size: number): Promise<string[]> {
  const { baseUrl, uploadUrl, account } = on.stage.fixture.simulator;
  const transport = createUndiciTransport();
  const service = createService({ account: { baseUrl, uploadUrl, ...account }, transport });
  const range = { from: new Date(0).toISOString(), to: WHOLE_TIME.to, size: String(size) };
  try {
    const pages: string[] = [];
    for (let page = 0; page * size < on.stage.fixture.simulator.seen().deliveries; page += 1) {
      const query = new URLSearchParams({ ...range, page: String(page) });
      const { text } = await service.call({
        operation: 'webhook search',
        method: 'GET',
        url: `${baseUrl}/api/webhook/search?${query.toString()}`,
        accept: 'text/csv',
        idempotent: true,
      });
      pages.push(text);
    }
    return pages;
  } finally {
    await transport.close();
  }
}
