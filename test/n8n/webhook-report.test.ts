import type { INodeParameters } from 'n8n-workflow';
import type { Simulator } from '../../simulator/start-simulator';
import { useTempDir } from '../support/use-temp-dir';
import { NAMED_PERIODS } from '../../reports/period/period';
import { REPORT_PARAMETERS } from '../../nodes/MediaService/webhookDelivery/report.operation';
import { asText } from './support/as-text';
import { binaryText, useBinaryData } from './support/binary-data';
import { useService } from './support/service-setting';

const RANGE = { period: 'custom', from: '2026-03-28', to: '2026-03-30' };

const on = useService({ seed: { deliveries: 0 } });
const folder = useTempDir('n8n-report');
beforeAll(async () => {
  await useBinaryData(folder.path);
  addDeliveries(on.simulator);
});

/** 28 to 29 March 2026 in Berlin, when clocks go forward: 3 of 5 failed, and 1 of 4 in the two days before. */
function addDeliveries(target: Simulator): void {
  const add = (sentAt: string, status: 'FAILED' | 'SUCCESS', mediaId: string): void => {
    target.addDelivery({ sentAt, status, mediaId, subAccountId: 'north-studio' });
  };
  add('2026-03-26T12:00:00.000Z', 'FAILED', 'm-1');
  add('2026-03-26T12:00:00.000Z', 'SUCCESS', 'm-1');
  add('2026-03-27T12:00:00.000Z', 'SUCCESS', 'm-1');
  add('2026-03-27T22:59:59.999Z', 'SUCCESS', 'm-1');
  add('2026-03-27T23:00:00.000Z', 'FAILED', 'm-1');
  add('2026-03-28T12:00:00.000Z', 'FAILED', '=<script>alert(1)</script>');
  add('2026-03-28T13:00:00.000Z', 'SUCCESS', 'm-1');
  add('2026-03-29T12:00:00.000Z', 'SUCCESS', 'm-2');
  add('2026-03-29T21:59:59.999Z', 'FAILED', 'm-1');
  add('2026-03-29T22:00:00.000Z', 'FAILED', 'm-1');
}

const run = (parameters: INodeParameters = {}): ReturnType<typeof on.run> =>
  on.run(
    { resource: 'webhookDelivery', operation: 'report', ...RANGE, ...parameters },
    { timezone: 'Europe/Berlin' },
  );

describe('Webhook Delivery > Report', () => {
  test("counts a range in the workflow's time zone by status, hour and media, and compares with the days before", async () => {
    const { items, error } = await run({ output: [], groups: ['media', 'subAccount'] });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(1);
    expect(items[0]?.pairedItem).toEqual({ item: 0 });
    expect(items[0]?.json).toMatchObject({
      from: '2026-03-27T23:00:00.000Z',
      to: '2026-03-29T22:00:00.000Z',
      zone: 'Europe/Berlin',
      totals: { total: 5, failed: 3, success: 2, failureRate: 0.6 },
      before: { from: '2026-03-25T23:00:00.000Z', total: 4, failed: 1, success: 3 },
      change: { total: 1, failed: 2, success: -1 },
      interval: 'hour',
      media: {
        rows: [
          { id: 'm-1', failed: 2, success: 1 },
          { id: '=<script>alert(1)</script>', failed: 1, success: 0 },
        ],
        others: { failed: 0, success: 1 },
      },
      subAccounts: { rows: [{ id: 'north-studio', failed: 3, success: 2, failureRate: 0.6 }] },
      complete: true,
      notices: [],
    });
  });

  test('returns subject, HTML and text as Email Fields on request, and shows markup in a media ID as text', async () => {
    const { items } = await run({ output: ['mail'] });
    const { subject, html, text } = items[0]?.json ?? {};
    expect(subject).toBe('3 of 5 webhook deliveries failed (60.0 %, +35.0 pp), 28 – 29 Mar');
    expect(asText(html)).toContain('&#x3D;&lt;script&gt;alert(1)');
    expect(asText(text)).toContain('  m-1: 2 failed, 1 successful, 66.7 %');
    expect(items[0]?.binary).toBeUndefined();
  });

  test('returns CSV and HTML as files, each in a field of its name', async () => {
    const { items } = await run({ output: ['csv', 'html'] });
    const { binary = {}, json } = items[0] ?? {};
    expect(Object.keys(binary)).toEqual(['csv', 'html']);
    expect(json).not.toHaveProperty('html');
    expect(binary['csv']).toMatchObject({ mimeType: 'text/csv', fileExtension: 'csv' });
    expect(binary['html']).toMatchObject({
      mimeType: 'text/html',
      fileName: 'webhook-report-2026-03-28-to-2026-03-29.html',
    });
    expect(await binaryText(binary['csv'])).toMatch(/^\uFEFFsection,name,/);
    expect(await binaryText(binary['html'])).toMatch(/^<!DOCTYPE html>/);
  });

  test('offers every named period, of which yesterday is chosen by itself, as on the command line', async () => {
    const period = REPORT_PARAMETERS.find(({ name }) => name === 'period');
    const values = (period?.options ?? []).map((one) => 'value' in one && one.value);
    expect([period?.default, values.sort()]).toEqual(['yesterday', ['custom', ...NAMED_PERIODS].sort()]);
    const { items } = await run({ period: 'last7Days', output: [] });
    const { from, to } = items[0]?.json ?? {};
    expect(Date.parse(asText(to)) - Date.parse(asText(from))).toBeGreaterThan(6 * 86_400_000);
  });

  test('names the missing field and the helpful option if no delivery has the field to group by', async () => {
    const { error, items } = await run({ options: { fields: { names: { media: 'asset.key' } } } });
    expect(items).toEqual([]);
    expect(error?.message).toMatch(/the field "media" of deliveries can't be read; looked for "asset.key"/);
    expect(error?.description).toMatch(/option "Media Field"/);
  });
});
