import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeSchedule } from '../../temporal/reports/client/describe-schedule';
import { secretsIn } from '../support/canary';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { SIGNING_KEY, useReportFixture } from '../support/report-fixture';
import { sharedS3 } from '../support/servers';

const at = useReportFixture();

it('a scheduled report of the last day reaches every kind of target, sends nothing twice, and the next day begins where it ended', async () => {
  const { on } = at;
  on.setNow('2026-11-21T06:00:30Z');
  on.deliver('2026-11-20T10:00:00Z', { mediaId: 'film-1', message: '=cmd|<b>' });
  on.deliver('2026-11-20T11:00:00Z', { status: 'SUCCESS' });
  on.deliver('2026-11-21T00:30:00Z', { mediaId: 'film-2' });
  const bucket = await on.makeBucket('daily');
  const folders = [`file:${on.fixture.folder}/daily`, `s3://${bucket}/reports`];
  const targets = ['mail:ops@example.org', on.hook.url, ...folders];
  await on.create({ id: 'all', targets });
  const first = await on.run('all');
  const period = { from: '2026-11-19T23:00:00.000Z', to: '2026-11-20T23:00:00.000Z' };
  expect(first.reports).toEqual([
    {
      ...period,
      total: 2,
      failed: 1,
      recordsRead: 2,
      complete: true,
      notices: expect.arrayContaining([
        expect.stringContaining('This is the first known report of the schedule "all" to these targets'),
      ]),
    },
  ]);
  expect(first.targets.map(({ outcome }) => outcome)).toEqual(targets.map(() => 'delivered'));

  const [mail] = on.mail.mails;
  expect(mail?.subject).toBe(
    `1 of 2 webhook deliveries failed (50.0 %), 20 Nov [all, ${on.fixture.accountId}]`,
  );
  expect(mail?.to).toEqual([{ address: 'ops@example.org', name: '' }]);
  expect(mail?.messageId).toMatch(/^<[0-9a-f]{32}@example\.org>$/);
  for (const text of [mail?.text, mail?.html]) expect(text).toContain(on.fixture.accountId);
  const [csv] = mail?.attachments ?? [];
  expect([csv?.filename, csv?.mimeType]).toEqual(['webhook-report-2026-11-20.csv', 'text/csv']);
  expect(csv?.content).toContain(`media,film-1,${period.from},${period.to}`);

  const [post] = on.hook.posts;
  expect(post?.verified).toBe(true);
  expect(post?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  expect(JSON.parse(post?.body ?? '')).toMatchObject({
    schedule: 'all',
    report: { ...period, totals: { failed: 1 } },
  });

  const names = ['csv', 'html', 'json'].map(
    (end) => `webhook-report-all-${on.fixture.accountId}-2026-11-20.${end}`,
  );
  expect(await on.files('daily')).toEqual(names);
  const object = join(sharedS3().objectDir, bucket, 'reports', names[1] ?? '');
  expect(await readFile(object, 'utf8')).toContain('<svg role="img"');

  const { connection, account, accountId } = on.fixture;
  const { lastRuns } = await describeSchedule(connection, { accountId, id: 'all' });
  const history = readableTexts(await recordedHistory(connection, lastRuns.at(-1)?.workflowId ?? ''));
  expect(history).toContain('mail:ops@example.org');
  const ofTargets = ['p@ss:word/1', 'never-shown', '/hooks/0a1b2c3d'];
  const secrets = [account.secretKey, account.apiKey, SIGNING_KEY, ...ofTargets];
  expect(secretsIn(history, secrets)).toEqual([]);

  const again = await on.run('all');
  expect(again.targets.map(({ outcome }) => outcome)).toEqual(targets.map(() => 'nothingDue'));
  on.setNow('2026-11-22T06:00:30Z');
  const second = await on.run('all');
  expect(second.reports).toMatchObject([
    {
      from: period.to,
      to: '2026-11-21T23:00:00.000Z',
      failed: 1,
      notices: expect.not.arrayContaining([expect.stringContaining('is known')]),
    },
  ]);
  expect([on.mail.mails.length, on.hook.posts.length]).toEqual([2, 2]);
  expect(new Set(on.mail.mails.map(({ messageId }) => messageId)).size).toBe(2);
});
