import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IBinaryData, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { systemClock } from '../../api/clock';
import { createService } from '../../api/service/create-service';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { searchDeliveries } from '../../api/webhooks/delivery-search';
import { startSimulator } from '../../simulator/start-simulator';
import { createTempDir } from '../support/temp-dir';
import type { TempDir } from '../support/temp-dir';
import { asText } from './support/as-text';
import { credentialOf } from './support/credential';
import { binaryService, useBinaryData } from './support/run-workflow';
import type { NodeRun, runNode } from './support/run-workflow';
import { useService } from './support/service-setting';

const MOMENT = '\\d{4}-\\d{2}-\\d{2}T\\d{4}(?:\\d{2})?[+-]\\d{4}';
const on = useService();
let folder: TempDir;
beforeAll(async () => {
  folder = await createTempDir('n8n-binary');
});
afterAll(() => folder.remove());

const run = (parameters: INodeParameters, more: Partial<NodeRun> = {}): ReturnType<typeof runNode> =>
  on.run({ resource: 'webhookDelivery', period: 'custom', ...parameters }, more);

describe('Webhook Delivery > Get Many', () => {
  test('returns each delivery of the range once, one item each', async () => {
    const { items } = await run({ operation: 'getMany', from: '-60d', returnAll: true });
    expect(items).toHaveLength(on.simulator.seen().deliveries);
    expect(new Set(items.map(({ json }) => json['id'])).size).toBe(items.length);
    expect(items[0]?.pairedItem).toEqual({ item: 0 });
  });

  test('reads again if a delivery is sent again between two pages and leaves the search', async () => {
    const own = await startSimulator({ seed: { deliveries: 0 } });
    try {
      const made = Array.from({ length: 525 }, () => own.addDelivery({ status: 'FAILED' }));
      own.fault('webhooks-redelivered');
      const failed = { operation: 'getMany', from: '-1d', returnAll: true, filters: { status: ['FAILED'] } };
      const { items } = await run(failed, { credentials: { mediaServiceApi: credentialOf(own) } });
      // One is delivered meanwhile. All others are there, none twice.
      const ids = new Set(items.map(({ json }) => json['id']));
      expect([items.length, ids.size]).toEqual([524, 524]);
      expect(made.filter(({ id }) => !ids.has(id))).toHaveLength(1);
    } finally {
      await own.close();
    }
  });

  test('can be narrowed by status, media and sub-account, and ends at Limit', async () => {
    const failed = await run({
      operation: 'getMany',
      from: '-60d',
      returnAll: true,
      filters: { status: ['FAILED'] },
    });
    expect(failed.items.length).toBeGreaterThan(0);
    expect(failed.items.every(({ json }) => json['status'] === 'FAILED')).toBe(true);
    const mediaId = asText(failed.items[0]?.json['mediaId']);
    const ofMedia = await run({ operation: 'getMany', from: '-60d', returnAll: true, filters: { mediaId } });
    expect(new Set(ofMedia.items.map(({ json }) => json['mediaId']))).toEqual(new Set([mediaId]));
    const none = await run({
      operation: 'getMany',
      from: '-60d',
      limit: 3,
      filters: { subAccountId: 'north-studio' },
    });
    expect(none.items).toHaveLength(3);
    expect(none.items.every(({ json }) => json['subAccountId'] === 'north-studio')).toBe(true);
  });

  test('returns and reports ids of 64 bits exactly, as text because a number would round them', async () => {
    const own = await startSimulator({ shapes: ['delivery-ids-64-bit'], seed: { deliveries: 0 } });
    try {
      const ids = ['7615917337495231231', '7615917337495231232', '7615917337495231233'];
      const sentAt = new Date().toISOString();
      for (const id of ids) own.addDelivery({ id, mediaId: `${id.slice(0, -4)}9${id.slice(-3)}`, sentAt });
      const credentials = { mediaServiceApi: credentialOf(own) };
      const all = await run({ operation: 'getMany', from: '-1d', returnAll: true }, { credentials });
      expect(all.items.map(({ json }) => json['id'])).toEqual(ids);
      const report = await run({ operation: 'report', from: '-1d', groups: ['media'] }, { credentials });
      expect(JSON.stringify(report.items[0]?.json)).toContain('"7615917337495239231"');
    } finally {
      await own.close();
    }
  });

  test("reads a date without a zone in the workflow's time zone", async () => {
    const own = await startSimulator({ seed: { deliveries: 0 } });
    try {
      own.addDelivery({ id: 'in', sentAt: '2026-06-30T22:30:00.000Z' });
      own.addDelivery({ id: 'before', sentAt: '2026-06-30T21:30:00.000Z' });
      const credentials = { mediaServiceApi: credentialOf(own) };
      const july = { operation: 'getMany', from: '2026-07-01', to: '2026-07-02', returnAll: true };
      const berlin = await run(july, { credentials, timezone: 'Europe/Berlin' });
      expect(berlin.items.map(({ json }) => json['id'])).toEqual(['in']);
      expect((await run(july, { credentials, timezone: 'UTC' })).items).toEqual([]);
    } finally {
      await own.close();
    }
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

describe.each(['filesystem', 'default'] as const)(
  'Webhook Delivery > Export, binary data mode %s',
  (mode) => {
    beforeAll(() => useBinaryData(folder.path, mode));

    const to = new Date().toISOString();
    const exported = async (parameters: INodeParameters = {}): Promise<INodeExecutionData> => {
      const { items, error } = await run({ operation: 'export', from: '-60d', to, ...parameters });
      expect(error).toBeUndefined();
      const [item] = items;
      if (item === undefined) throw new Error('The export gave no item.');
      return item;
    };
    const textOf = async (data: IBinaryData | undefined): Promise<string> => {
      if (data === undefined) throw new Error('The item has no such binary data.');
      return (await binaryService().getAsBuffer(data)).toString('utf8');
    };

    test("as CSV is the text of the service's pages, byte for byte, with one header", async () => {
      const item = await exported();
      const pages = await csvPages(to, 500);
      const [header = ''] = (pages[0] ?? '').split(/(?<=\n)/);
      const joined = header + pages.map((page) => page.slice(header.length)).join('');
      expect(await textOf(item.binary?.['data'])).toBe(joined);
      expect(item.json).toMatchObject({
        format: 'csv',
        records: on.simulator.seen().deliveries,
        pages: pages.length,
      });
    });

    test.each([
      { format: 'CSV', mimeType: 'text/csv', extension: 'csv' },
      { format: 'JSON', mimeType: 'application/json', extension: 'json' },
      { format: 'JSONL', mimeType: 'application/x-ndjson', extension: 'jsonl' },
    ])('as $format gets its MIME type, extension and name', async ({ format, mimeType, extension }) => {
      const { binary, pairedItem } = await exported({ format, from: '-2d' });
      expect(binary?.['data']).toMatchObject({ mimeType, fileExtension: extension });
      expect(binary?.['data']?.fileName).toMatch(
        new RegExp(`^webhook-deliveries-${MOMENT}-to-${MOMENT}\\.${extension}$`),
      );
      expect(pairedItem).toEqual({ item: 0 });
    });

    test.each([
      ['JSON', (text: string): unknown => JSON.parse(text)],
      ['JSONL', (text: string): unknown => JSON.parse(`[${text.trim().replaceAll('\n', ',')}]`)],
    ])('as %s holds the same records as Get Many', async (format, parse) => {
      const from = new Date(Date.parse(to) - 5 * 86_400_000).toISOString();
      const { binary } = await exported({ format, from });
      const { items } = await run({ operation: 'getMany', from, to, returnAll: true });
      expect(items.length).toBeGreaterThan(0);
      expect(parse(await textOf(binary?.['data']))).toEqual(items.map(({ json }) => json));
    });

    test.each(['../../etc/x.csv', 'C:\\x.csv'])('refuses %s as a file name', async (fileName) => {
      const { error } = await run({ operation: 'export', from: '-1d', options: { fileName } });
      expect(error?.message).toBe('"File Name" can\'t contain a folder');
    });

    test('uses the field and file name from the options', async () => {
      const item = await exported({
        from: '-1d',
        binaryPropertyName: 'report',
        options: { fileName: 'failed.csv' },
      });
      expect(Object.keys(item.binary ?? {})).toEqual(['report']);
      expect(item.binary?.['report']?.fileName).toBe('failed.csv');
    });

    test("ends with the service's own error if a page is refused, and makes no file", async () => {
      on.simulator.fault('webhooks-403');
      const { error, items } = await run({ operation: 'export', from: '-60d' });
      expect(error).toMatchObject({ httpCode: '403' });
      expect(items).toEqual([]);
    });
  },
);

/** The CSV pages as the service sends them, fetched directly. */
async function csvPages(to: string, size: number): Promise<string[]> {
  const { baseUrl, uploadUrl, account } = on.simulator;
  const transport = createUndiciTransport();
  const service = createService({
    account: { baseUrl, uploadUrl, ...account },
    transport,
    clock: systemClock,
  });
  try {
    const { totalPages = 0 } = await searchDeliveries(service, { from: '-60d', to }, { size });
    const range = new URLSearchParams({
      from: new Date(Date.now() - 90 * 86_400_000).toISOString(),
      to: new Date(Date.parse(to) - 1).toISOString(),
      size: String(size),
    });
    const pages = [];
    for (let page = 0; page < totalPages; page += 1) {
      const { text } = await service.call({
        operation: 'webhook search',
        method: 'GET',
        url: `${baseUrl}/api/webhook/search?${range.toString()}&page=${page}`,
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
