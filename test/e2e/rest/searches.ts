import { expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secretsIn } from '../../support/canary';
import { downloadBinary } from '../support/n8n-executions';
import { NODE_NAME, workflowOf } from '../support/n8n-stage';
import type { OnStage } from '../support/n8n-stage';
import { SECRET_TRACES } from '../support/service-fixture';

const WHOLE_TIME = { period: 'custom', from: '-60d', to: new Date().toISOString() };

export function describeSearches(on: OnStage): void {
  test('Media > Search returns each media of the service once, page by page', async () => {
    const { items, error } = await on.stage.run({
      resource: 'media',
      operation: 'search',
      returnAll: true,
    });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(on.stage.fixture.simulator.seen().media);
    expect(new Set(items.map(({ json }) => json['id'])).size).toBe(items.length);
  });

  test('Webhook Delivery > Export as JSON makes a file of the records that Get Many returns', async () => {
    const of = { resource: 'webhookDelivery', ...WHOLE_TIME };
    const { items, error } = await on.stage.run({ ...of, operation: 'export', format: 'JSON' });
    expect(error).toBeUndefined();
    const listed = await on.stage.run({ ...of, operation: 'getMany', returnAll: true });
    expect(listed.items).toHaveLength(on.stage.fixture.simulator.seen().deliveries);
    const text = (await downloadBinary(on.stage.n8n.rest, items[0])).toString('utf8');
    expect(JSON.parse(text)).toEqual(listed.items.map(({ json }) => json));
  });

  test('Webhook Delivery > Report counts what the service holds, and builds mail and files inside n8n', async () => {
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

  test("n8n's command line imports credentials and a workflow, and its execution returns what REST returns", async () => {
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
}
