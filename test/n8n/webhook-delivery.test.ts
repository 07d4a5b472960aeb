import { parse } from 'csv-parse/sync';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { SimulatorOptions } from '../../simulator/options';
import { useTempDir } from '../support/use-temp-dir';
import { binaryText, useBinaryData } from './support/binary-data';
import type { NodeRun, runNode } from './support/run-workflow';
import { ownService, useService } from './support/service-setting';

const MOMENT = '\\d{4}-\\d{2}-\\d{2}T\\d{4}(?:\\d{2})?[+-]\\d{4}';
const on = useService();
const folder = useTempDir('n8n-binary');

const run = (parameters: INodeParameters, more: Partial<NodeRun> = {}): ReturnType<typeof runNode> =>
  on.run({ resource: 'webhookDelivery', period: 'custom', ...parameters }, more);

/** A service with no delivery but those of the test. */
const withoutDeliveries = (options: SimulatorOptions = {}): ReturnType<typeof ownService> =>
  ownService({ ...options, seed: { deliveries: 0 } });

describe('Webhook Delivery > Get Many', () => {
  test('returns each delivery of the range once, one item each', async () => {
    const { items } = await run({ operation: 'getMany', from: '-60d', returnAll: true });
    expect(items).toHaveLength(on.simulator.seen().deliveries);
    expect(new Set(items.map(({ json }) => json['id'])).size).toBe(items.length);
    expect(items[0]?.pairedItem).toEqual({ item: 0 });
  });

  test('reads again if a delivery is sent again between two pages and leaves the search', async () => {
    const { simulator: own, credentials } = await withoutDeliveries();
    const made = Array.from({ length: 525 }, () => own.addDelivery({ status: 'FAILED' }));
    own.fault('webhooks-redelivered');
    const failed = { operation: 'getMany', from: '-1d', returnAll: true, filters: { status: ['FAILED'] } };
    const { items } = await run(failed, { credentials });
    // One is delivered meanwhile. All others are there, none twice.
    const ids = new Set(items.map(({ json }) => json['id']));
    expect([items.length, ids.size]).toEqual([524, 524]);
    expect(made.filter(({ id }) => !ids.has(id))).toHaveLength(1);
  });

  test('can be narrowed by status, media and sub-account', async () => {
    const { simulator: own, credentials } = await withoutDeliveries();
    const wanted = { mediaId: 'm-1', subAccountId: 's-1' };
    own.addDelivery({ id: 'wanted', ...wanted });
    for (const other of [{ status: 'SUCCESS' as const }, { mediaId: 'm-2' }, { subAccountId: 's-2' }])
      own.addDelivery({ ...wanted, ...other });
    const filters = { ...wanted, status: ['FAILED'] };
    const { items } = await run(
      { operation: 'getMany', from: '-1d', returnAll: true, filters },
      { credentials },
    );
    expect(items.map(({ json }) => json['id'])).toEqual(['wanted']);
  });

  test('returns and reports ids of 64 bits exactly, as text because a number would round them', async () => {
    const { simulator: own, credentials } = await withoutDeliveries({ shapes: ['delivery-ids-64-bit'] });
    const ids = ['7615917337495231231', '7615917337495231232', '7615917337495231233'];
    const sentAt = new Date().toISOString();
    for (const id of ids) own.addDelivery({ id, mediaId: `${id.slice(0, -4)}9${id.slice(-3)}`, sentAt });
    const all = await run({ operation: 'getMany', from: '-1d', returnAll: true }, { credentials });
    expect(all.items.map(({ json }) => json['id'])).toEqual(ids);
    const report = await run({ operation: 'report', from: '-1d', groups: ['media'] }, { credentials });
    expect(JSON.stringify(report.items[0]?.json)).toContain('"7615917337495239231"');
  });

  test("reads a date without a zone in the workflow's time zone", async () => {
    const { simulator: own, credentials } = await withoutDeliveries();
    own.addDelivery({ id: 'in', sentAt: '2026-06-30T22:30:00.000Z' });
    own.addDelivery({ id: 'before', sentAt: '2026-06-30T21:30:00.000Z' });
    const july = { operation: 'getMany', from: '2026-07-01', to: '2026-07-02', returnAll: true };
    const berlin = await run(july, { credentials, timezone: 'Europe/Berlin' });
    expect(berlin.items.map(({ json }) => json['id'])).toEqual(['in']);
    expect((await run(july, { credentials, timezone: 'UTC' })).items).toEqual([]);
  });

  test.each<{ what: string; from: string }>([
    { what: 'a DateTime of an expression', from: '={{ $now.minus({ days: 60 }) }}' },
    { what: 'a Date', from: '={{ new Date(Date.now() - 60 * 86400000) }}' },
    { what: 'ISO with a zone', from: '={{ $now.minus({ days: 60 }).toISO() }}' },
    { what: 'what a person writes', from: '-60d' },
  ])('accepts $what as From', async ({ from }) => {
    const { items, error } = await run({ operation: 'getMany', from, limit: 5 });
    expect([items.length, error]).toEqual([5, undefined]);
  });
});

describe('Webhook Delivery > Export', () => {
  const to = new Date().toISOString();
  const from = new Date(Date.parse(to) - 5 * 86_400_000).toISOString();
  const exported = async (parameters: INodeParameters = {}): Promise<INodeExecutionData> => {
    const { items, error } = await run({ operation: 'export', from, to, ...parameters });
    expect(error).toBeUndefined();
    const [item] = items;
    if (item === undefined) throw new Error('The export gave no item.');
    return item;
  };
  test.each([
    [
      { format: 'CSV', mimeType: 'text/csv', extension: 'csv', mode: 'filesystem' },
      (text: string): Record<string, unknown>[] => parse(text, { columns: true, bom: true }),
    ],
    [
      { format: 'JSON', mimeType: 'application/json', extension: 'json', mode: 'filesystem' },
      (text: string) => JSON.parse(text) as Record<string, unknown>[],
    ],
    [
      { format: 'JSONL', mimeType: 'application/x-ndjson', extension: 'jsonl', mode: 'default' },
      (text: string) => JSON.parse(`[${text.trim().replaceAll('\n', ',')}]`) as Record<string, unknown>[],
    ],
  ] as const)('as %j holds the records of Get Many in their order', async (one, read) => {
    const { format, mimeType, extension, mode } = one;
    await useBinaryData(folder.path, mode);
    const { items } = await run({ operation: 'getMany', from, to, returnAll: true });
    const { binary, json, pairedItem } = await exported({ format });
    expect(binary?.['data']).toMatchObject({ mimeType, fileExtension: extension });
    expect(binary?.['data']?.fileName).toMatch(
      new RegExp(`^webhook-deliveries-${MOMENT}-to-${MOMENT}\\.${extension}$`),
    );
    expect([pairedItem, json['format'], json['records']]).toEqual([{ item: 0 }, extension, items.length]);
    expect(items.length).toBeGreaterThan(0);
    const records = read(await binaryText(binary?.['data']));
    expect(records.map(({ id, status }) => ({ id, status }))).toEqual(
      items.map(({ json: { id, status } }) => ({ id, status })),
    );
  });

  test.each(['../../etc/x.csv', 'C:\\x.csv'])('refuses %s as a file name', async (fileName) => {
    const { error } = await run({ operation: 'export', from: '-1d', options: { fileName } });
    expect(error?.message).toBe('"File Name" can\'t contain a folder');
  });

  test('uses the field and file name from the options', async () => {
    const options = { fileName: 'failed.csv' };
    const { binary } = await exported({ binaryPropertyName: 'report', options });
    expect(binary).toEqual({ report: expect.objectContaining({ fileName: 'failed.csv' }) });
  });

  test("ends with the service's own error if a page is refused, and makes no file", async () => {
    on.simulator.fault('webhooks-403');
    const { error, items } = await run({ operation: 'export', from: '-60d' });
    expect(error).toMatchObject({ httpCode: '403' });
    expect(items).toEqual([]);
  });
});
