import { createClient } from '../../../client/create-client';
import { collectReport } from '../../../reports/collect-report';
import { subjectOf } from '../../../reports/words/report-words';
import type { ReportRequest } from '../../../reports/report-request';
import { createReportCounts } from '../../../reports/status-reading';
import { startSimulator } from '../../../simulator/start-simulator';
import { afterTest } from '../../support/after-test';
import { fakeClock } from '../api/fake-clock';
import { scriptedService } from '../api/scripted-service';
import { planOf } from './report-fixture';

const DAY_MS = 86_400_000;
const QUERY = { from: '2026-11-01', to: '2026-11-04', zone: 'Europe/Berlin' };
const BEGIN = Date.parse('2026-10-31T23:00:00Z');

/** Ten deliveries a day for six days; days 4 to 6 are the period. The number of failures grows by one each day. */
async function start(shapes: string[] = []) {
  const simulator = await startSimulator({ seed: { deliveries: 0 }, shapes });
  afterTest(() => simulator.close());
  for (let day = -3; day < 3; day += 1) {
    for (let turn = 0; turn < 10; turn += 1) {
      simulator.addDelivery({
        sentAt: new Date(BEGIN + day * DAY_MS + turn * 3_600_000).toISOString(),
        status: turn < day + 3 ? 'FAILED' : 'SUCCESS',
        mediaId: `m-${turn % 4}`,
        subAccountId: turn % 2 === 0 ? 'even' : 'odd',
      });
    }
  }
  const { baseUrl, uploadUrl, account } = simulator;
  const client = createClient({ baseUrl, uploadUrl, ...account });
  afterTest(() => client.close());
  return { service: client.service, simulator };
}

async function collect(shapes: string[], request: Partial<ReportRequest> = {}, now = '2026-11-20T06:00:00Z') {
  const { service, simulator } = await start(shapes);
  const clock = fakeClock(Date.parse(now));
  const report = await collectReport({ ...service, clock }, { query: QUERY, interval: 'day', ...request });
  return { report, requests: simulator.seen().requests['webhooks'] ?? 0 };
}

const FIGURES = {
  totals: { total: 30, failed: 12, success: 18, failureRate: 0.4 },
  before: { total: 30, failed: 3, success: 27 },
  change: { total: 0, failed: 9, success: -9 },
  intervals: [
    { failed: 3, success: 7 },
    { failed: 4, success: 6 },
    { failed: 5, success: 5 },
  ],
  complete: true,
  notices: [],
};

describe('a report has the same figures', () => {
  test('from records if they need fewer requests than counts', async () => {
    const { report, requests } = await collect([]);
    expect(report).toMatchObject(FIGURES);
    expect(report).toMatchObject({ recordsRead: 30, countedBy: { failed: 'records', success: 'records' } });
    // Two counts and one page for each status of the period, and two counts of the period before.
    expect(requests).toBe(6);
  });

  test('from four counts and no record if there are no groups and only one interval', async () => {
    const { report, requests } = await collect([], {
      groups: [],
      interval: 'week',
      query: { ...QUERY, from: '2026-11-02' },
    });
    expect(report).toMatchObject({ totals: { total: 20, failed: 9 }, recordsRead: 0 });
    expect(report.countedBy).toEqual({ failed: 'countQueries', success: 'countQueries' });
    expect(requests).toBe(4);
  });

  test.each([
    ["can't be read", 'no.such.field'],
    ['is not the time of sending, since it is outside the period', 'durationMs'],
  ])('from one count per interval if the time of records %s', async (_what, time) => {
    const { report } = await collect([], { fields: { time } });
    expect(report).toMatchObject(FIGURES);
    expect(report.countedBy).toEqual({ failed: 'countQueries', success: 'countQueries' });
  });

  test('from records if the service has no totals, without the period before', async () => {
    const { report } = await collect(['webhooks-no-headers']);
    expect(report).toMatchObject({
      ...FIGURES,
      before: null,
      change: null,
      notices: [expect.stringMatching(/gives no totals/)],
    });
    expect(report.recordsRead).toBe(30);
  });
});

describe('the groups of a report', () => {
  test('list those with failures, most first, with their successes, and everything else as others', async () => {
    const { report } = await collect([], { groups: ['media', 'subAccount'], top: 2 });
    // 12 failed: deliveries 0 to 2 on day one, 0 to 3 on day two, 0 to 4 on day three.
    expect(report.media).toEqual({
      rows: [
        { id: 'm-0', failed: 4, success: 5, failureRate: 4 / 9 },
        { id: 'm-1', failed: 3, success: 6, failureRate: 3 / 9 },
      ],
      others: { failed: 5, success: 7, failureRate: 5 / 12 },
      withFailures: 4,
    });
    expect(report.subAccounts?.rows).toEqual([
      { id: 'even', failed: 7, success: 8, failureRate: 7 / 15 },
      { id: 'odd', failed: 5, success: 10, failureRate: 1 / 3 },
    ]);
  });

  test('count the successes of each row by a query if successful records were not read', async () => {
    const { service } = await start();
    const request = { query: QUERY, groups: ['media', 'subAccount'] as const };
    const read = await collectReport(service, request);
    const fields = { time: 'no.such' };
    const counted = await collectReport(service, { ...request, fields, maxRecords: 12 });
    expect(counted.recordsRead).toBe(12);
    expect([counted.media, counted.subAccounts]).toEqual([read.media, read.subAccounts]);
  });

  test('are an error if no record has the field, with the candidates and the outline but no value', async () => {
    const { service } = await start();
    const failing = collectReport(service, { query: QUERY, fields: { media: 'asset' } });
    await expect(failing).rejects.toMatchObject({
      code: 'UnreadableAnswer',
      message: expect.stringMatching(
        /field "media" of deliveries can't be read; looked for "asset" in \{id: string, eventType: string/,
      ),
      facts: { field: 'fields.media' },
    });
  });
});

describe('the maximum number of records', () => {
  test('keeps totals and intervals complete if they can be counted, and says that groups are not', async () => {
    const { report } = await collect([], { maxRecords: 5 });
    expect(report).toMatchObject({
      ...FIGURES,
      complete: false,
      recordsRead: 5,
      notices: [
        expect.stringMatching(/Only 5 failed deliveries were read.*totals and intervals are complete/),
      ],
    });
    expect(report.media?.rows.reduce((sum, { failed }) => sum + failed, 0)).toBe(5);
    const { rows = [], others } = report.media ?? {};
    expect([...rows, others].every((row) => row?.failureRate === null)).toBe(true);
  });

  test('limits every figure to what was read if the service has no totals', async () => {
    const { report } = await collect(['webhooks-no-headers'], { maxRecords: 15 });
    expect(report).toMatchObject({ totals: { failed: 12, success: 3 }, complete: false, recordsRead: 15 });
    expect(report.totals.failureRate).toBeNull();
    expect(report.intervals.map(({ failureRate }) => failureRate)).toEqual([null, null, null]);
    expect(subjectOf(report)).toMatch(/^Incomplete: At least 12 webhook deliveries failed, /);
    expect(report.notices.join(' ')).toMatch(
      /Only 3 successful deliveries were read.*all figures are of those/,
    );
  });
});

test('an empty period gives a report of zeros', async () => {
  const { report, requests } = await collect([], { query: { from: '2025-01-01', to: '2025-01-03' } });
  expect(report).toMatchObject({
    totals: { total: 0, failureRate: null },
    media: { rows: [], withFailures: 0 },
  });
  expect(requests).toBe(4);
});

test.each([
  ['lies ahead', '2026-10-01T00:00:00Z', 'This period has not begun yet.'],
  ['has not ended', '2026-11-03T12:00:00Z', 'This period is not over yet: more may come.'],
])('a period that %s says so', async (_what, now, notice) => {
  expect((await collect([], {}, now)).report).toMatchObject({ notices: [notice], complete: true });
});

test('an aborted report ends with the reason', async () => {
  const { service } = await start();
  const reason = new Error('stopped by the user');
  await expect(collectReport(service, { query: QUERY }, AbortSignal.abort(reason))).rejects.toBe(reason);
});

test.each([
  ['null', 'nothing'],
  ['in an object that is null', 'nothing.id'],
])('failed deliveries whose media is %s get a row of their own', (_what, media) => {
  const counts = createReportCounts(planOf({ groups: ['media'], fields: { media } }));
  counts.add({ id: 'd', sentAt: '2026-11-20T10:00:00Z', nothing: null });
  const { groups, shown } = counts.result();
  expect([...shown]).toEqual(['media']);
  expect([...(groups.get('media') ?? [])]).toEqual([[null, 1]]);
});

test('a failed delivery that is redelivered while pages are read: the report reads again and skips none', async () => {
  const service = scriptedService(fakeClock(Date.parse('2026-11-05T00:00:00Z')));
  let ids = Array.from({ length: 1500 }, (_none, id) => id);
  service.operation = ({ query }) => {
    const found = query.getAll('status').includes('FAILED') ? ids : [];
    const [page, size] = [Number(query.get('page') ?? 0), Number(query.get('size'))];
    const body = found
      .slice(page * size, page * size + size)
      .map((id) => ({ id, status: 'FAILED', sentAt: '2026-11-02T00:00:00Z', mediaId: `m-${id}` }));
    const headers = { 'X-Total-Elements': String(found.length), 'X-Page': String(page) };
    if (size === 1000) ids = ids.filter((id) => id !== 3);
    return { headers, body };
  };
  const report = await collectReport(service.service, { query: QUERY, groups: ['media'] });
  expect(report).toMatchObject({ complete: true, totals: { failed: 1499, success: 0 } });
  expect(report.media?.withFailures).toBe(1499);
});
