import { deleteSchedule } from '../../temporal/reports/client/describe-schedule';
import { METRICS } from '../../temporal/metrics';
import { freePort } from '../support/free-port';
import { metricValue } from '../support/metric-value';
import { useReportFixture } from '../support/report-fixture';

const at = useReportFixture({ worker: false });
let metricsPage: string;

beforeAll(async () => {
  const metrics = { host: '127.0.0.1', port: await freePort() };
  await at.on.startWorker({ metrics });
  metricsPage = `http://127.0.0.1:${String(metrics.port)}/metrics`;
});

/** Resolves once `count` mails report a failed delivery. */
function reportedFailures(count: number): Promise<void> {
  const { mail } = at.on;
  return new Promise((resolve) => {
    mail.onMail = async () => {
      if (mail.mails.filter(({ subject }) => subject?.startsWith('1 of 1 ')).length >= count) resolve();
    };
  });
}

/** The period of each mail's report, from the name of its CSV. */
function periodsOf(schedule: string): { readonly from: string; readonly to: string }[] {
  return at.on.mail.mails
    .filter(({ subject }) => subject?.includes(`[${schedule}, `))
    .map(({ attachments }) => {
      const name = attachments[0]?.filename ?? '';
      const [, from, to] = /-([\d-]{10}T\d{4}\+0000)-to-([\d-]{10}T\d{4}\+0000)\.csv$/.exec(name) ?? [];
      if (from === undefined || to === undefined) throw new Error(`No period of UTC in the name '${name}'.`);
      return { from, to };
    });
}

it("a schedule that fires by itself uses the server's clock; each period begins where the previous one ended, and each failure is reported once", async () => {
  const { on } = at;
  on.setNow('2026-11-21T06:00:30Z');
  on.deliver('2026-11-21T05:30:00Z', { mediaId: 'film-1' });
  on.deliver('2026-11-21T06:20:00Z', { mediaId: 'film-2' });
  const first = reportedFailures(1);
  const request = {
    timing: { cron: '0 * * * *' },
    // With this value no mail is sent twice on a busy machine because its answer seems lost.
    heartbeatMs: 600_000,
    zone: 'UTC',
    targets: ['mail:ops@example.org'],
  };
  const schedule = await on.create({ ...request, id: 'clock' });
  // Hours of the worker are seconds here, since the server's clock can't be set.
  const handle = on.fixture.connection.client.schedule.getHandle(schedule.scheduleId);
  await handle.update((previous) => ({ ...previous, spec: { intervals: [{ every: 1_000 }] } }));
  await first;
  const second = reportedFailures(2);
  on.setNow('2026-11-21T07:30:30Z');
  await second;
  await deleteSchedule(on.fixture.connection, { accountId: on.fixture.accountId, id: 'clock' });

  const periods = periodsOf('clock');
  expect(periods.length).toBeGreaterThanOrEqual(2);
  expect(periods.slice(1).map(({ from }) => from)).toEqual(periods.slice(0, -1).map(({ to }) => to));
  expect(periods.every(({ from, to }) => from < to)).toBe(true);
  const texts = on.mail.mails.map(({ text = '' }) => text);
  for (const film of ['film-1', 'film-2'])
    expect(texts.filter((text) => text.includes(film))).toHaveLength(1);
});

it('the /metrics page of a worker shows when a scheduled report last succeeded and last failed', async () => {
  const { on } = at;
  on.setNow('2026-11-21T06:00:30Z');
  await on.create({ id: 'watched', targets: ['mail:ops@example.org'] });
  const endOf = async (outcome: string): Promise<number | undefined> => {
    const labels = { account: on.fixture.accountId, schedule: 'watched', outcome };
    return metricValue(await (await fetch(metricsPage)).text(), METRICS.reportEnd.name, labels);
  };
  expect(await endOf('completed')).toBeUndefined();
  const begin = Date.now() / 1000;
  await on.run('watched');
  const delivered = await endOf('completed');
  expect(delivered).toBeGreaterThanOrEqual(begin);
  expect(await endOf('failed')).toBeUndefined();

  on.mail.refuses.set('ops@example.org', 550);
  on.setNow('2026-11-22T06:00:30Z');
  await expect(on.run('watched')).rejects.toMatchObject({ code: 'RequestRefused' });
  expect(await endOf('failed')).toBeGreaterThan(delivered ?? Infinity);
  expect(await endOf('completed')).toBe(delivered);
});
