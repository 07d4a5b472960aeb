import { checkSchedule } from '../../../../../temporal/reports/client/report-schedule';
import type { ScheduleRequest } from '../../../../../temporal/reports/client/report-schedule';
import { sealKeysOf, unseal, webhookUrlPurpose } from '../../../../../temporal/seal';

const NOW = Date.parse('2026-11-21T06:00:00Z');
const SEAL_KEYS = sealKeysOf("the account's secret key");
const READING = { cwd: '/work', host: 'harbour', sealKeys: SEAL_KEYS };
const REQUEST: ScheduleRequest = { id: 'morning', timing: {}, targets: ['file:/srv/reports'] };
const check = (change: Partial<ScheduleRequest>): ReturnType<typeof checkSchedule> =>
  checkSchedule({ ...REQUEST, ...change }, READING, NOW);
const TO_MAIL = { targets: ['mail:a@b.org'] };
const MAIL = { smtpSecret: 'smtp', mailFrom: 'reports@example.org' };

describe('a new schedule', () => {
  it('names the machine that has its folder', async () => {
    const schedule = await check({});
    expect(schedule.targets).toMatchObject([{ kind: 'folder', key: 'file:/srv/reports@harbour' }]);
  });

  it('makes a target for each mail address', async () => {
    const schedule = await check({ targets: ['mail:a@b.org, c@d.org'], ...MAIL });
    expect(schedule.targets.map(({ key }) => key)).toEqual(['mail:a@b.org', 'mail:c@d.org']);
  });

  it('seals the address of a webhook and shows only its host', async () => {
    const url = 'https://hooks.example.org/T0/B1/x9y8z7?token=abc';
    const schedule = await check({ targets: [url] });
    const [target] = schedule.targets;
    expect(JSON.stringify(schedule)).not.toMatch(/x9y8z7|token/);
    expect(target?.key).toMatch(/^webhook:hooks\.example\.org#[0-9a-f]{12}$/);
    const sealed = target?.kind === 'webhook' ? target.url : undefined;
    expect(unseal(SEAL_KEYS, sealed, webhookUrlPurpose(target?.key ?? ''))).toBe(url);
  });

  it.each<[string, Partial<ScheduleRequest>, string]>([
    ['an id with a slash', { id: 'a/b' }, 'id'],
    ['an unknown zone', { zone: 'Berlin' }, 'timezone'],
    ['no target', { targets: [] }, 'target'],
    ['a target of an unknown kind', { targets: ['ftp://host/reports'] }, 'target'],
    ['a plain path', { targets: ['/srv/reports'] }, 'target'],
    ['the same target twice', { targets: ['file:/srv/reports', 'file:///srv/reports'] }, 'target'],
    ['plain http to another machine', { targets: ['http://hooks.example.org/x'] }, 'target'],
    ['a password in an address', { targets: ['https://user:pass@hooks.example.org/x'] }, 'target'],
    ['a malformed address', { targets: ['mail:ops at example.org'], ...MAIL }, 'target'],
    ['a line break in an address', { targets: ['mail:a@b.org\r\nBcc: c@d.org'], ...MAIL }, 'target'],
    ['a sender with a name', { ...TO_MAIL, smtpSecret: 's', mailFrom: 'R <r@b.org>' }, 'mailFrom'],
    ['mail without a server', { ...TO_MAIL, mailFrom: 'r@b.org' }, 'smtpSecret'],
    ['mail without a sender', { ...TO_MAIL, smtpSecret: 'smtp' }, 'mailFrom'],
    ['a server without mail', { smtpSecret: 'smtp' }, 'smtpSecret'],
    ['a signature without a webhook', { webhookSecret: 'signing' }, 'webhookSecret'],
  ])('is refused for %s', async (_name, change, field) => {
    const facts = { field, hint: expect.any(String) };
    await expect(check(change)).rejects.toMatchObject({ code: 'Validation', facts });
  });
});
