import { useReportFixture } from '../support/report-fixture';
import { failureOf } from '../unit/api/upload/failure-of';

const at = useReportFixture();

describe("a scheduled report that can't reach a target", () => {
  it('reaches the others, and sends the target its period later', async () => {
    const { on } = at;
    on.setNow('2026-11-21T06:00:30Z');
    on.deliver('2026-11-20T10:00:00Z');
    on.mail.refuses.set('gone@example.org', 550);
    const targets = ['mail:ops@example.org', 'mail:gone@example.org', `file:${on.fixture.folder}/partly`];
    await on.create({ id: 'partly', targets });
    const failure = await failureOf(on.run('partly'));
    expect(failure.code).toBe('RequestRefused');
    expect(failure.message).toMatch(
      /mail:gone@example\.org: the mail server 127\.0\.0\.1:\d+ refuses the recipient gone@example\.org \(550\)/,
    );
    expect(failure.facts.details).toMatchObject({ targetsReached: 2, targetsFailed: 1 });
    expect(on.mail.mails.map(({ subject }) => subject)).toEqual([
      `1 of 1 webhook deliveries failed (100.0 %), 20 Nov [partly, ${on.fixture.accountId}]`,
    ]);
    expect(await on.files('partly')).toHaveLength(3);

    on.mail.refuses.clear();
    on.setNow('2026-11-22T06:00:30Z');
    const { targets: results } = await on.run('partly');
    expect(results.map(({ target, period }) => [target.split(':')[1], period?.from])).toEqual([
      ['ops@example.org', '2026-11-20T23:00:00.000Z'],
      ['gone@example.org', '2026-11-19T23:00:00.000Z'],
      [expect.stringContaining('partly'), '2026-11-20T23:00:00.000Z'],
    ]);
  });

  it('keeps its position if the service refuses the login, and later reports everything', async () => {
    const { on } = at;
    on.setNow('2027-01-10T06:00:30Z');
    on.deliver('2027-01-09T10:00:00Z', { mediaId: 'film-of-the-9th' });
    on.deliver('2027-01-10T10:00:00Z', { mediaId: 'film-of-the-10th' });
    on.deliver('2027-01-10T11:00:00Z', { mediaId: 'film-that-arrived', status: 'SUCCESS' });
    await on.create({ id: 'service', targets: ['mail:ops@example.org'] });
    const mails = on.mail.mails.length;
    on.fixture.simulator.expireTokens();
    on.fixture.simulator.fault('login-401:always');
    const failure = await failureOf(on.run('service'));
    expect(failure.code).toBe('LoginRefused');
    on.fixture.simulator.clearFaults();
    on.setNow('2027-01-11T06:00:30Z');
    const { reports } = await on.run('service');
    expect(reports).toMatchObject([
      { from: '2027-01-08T23:00:00.000Z', to: '2027-01-10T23:00:00.000Z', failed: 2 },
    ]);
    const [report, ...more] = on.mail.mails.slice(mails);
    expect([report?.subject, more]).toEqual([
      `2 of 3 webhook deliveries failed (66.7 %), 9 – 10 Jan [service, ${on.fixture.accountId}]`,
      [],
    ]);
    expect(report?.attachments[0]?.content).toMatch(/film-of-the-10th[^]*film-of-the-9th/);
    expect(report?.attachments[0]?.content).not.toContain('film-that-arrived');
  });
});
