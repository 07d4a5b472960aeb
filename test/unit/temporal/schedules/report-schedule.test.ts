import { describe, expect, it } from '@jest/globals';
import { ValidationError } from '../../../../api/errors';
import { differingParts } from '../../../../temporal/client/input-digest';
import type { ReportSchedule } from '../../../../temporal/contract/failure-report';
import { checkSchedule, scheduleDigest } from '../../../../temporal/schedules/report-schedule';
import type { ScheduleWish } from '../../../../temporal/schedules/report-schedule';
import { sealKeysOf, unseal } from '../../../../temporal/seal';
import { webhookUrlPurpose } from '../../../../temporal/schedules/webhook-url';

const NOW = Date.parse('2026-11-21T06:00:00Z');
const SEAL_KEYS = sealKeysOf('the account’s secret key');
const READING = { cwd: '/work', host: 'harbour', sealKeys: SEAL_KEYS };
const WISH: ScheduleWish = { id: 'morning', timing: {}, targets: ['file:/srv/reports'] };
const check = (change: Partial<ScheduleWish>): ReturnType<typeof checkSchedule> =>
  checkSchedule({ ...WISH, ...change }, READING, { now: NOW });
const MAIL = { smtpSecret: 'smtp', mailFrom: 'reports@example.org' };

describe('a new schedule', () => {
  it('has its state beside the files of its first folder', async () => {
    const { schedule } = await check({});
    expect(schedule).toMatchObject({
      targets: [{ kind: 'place', key: 'file:/srv/reports@harbour' }],
      state: { kind: 'path', path: '/srv/reports/morning.state.json', host: 'harbour' },
    });
    const { schedule: s3 } = await check({ targets: ['mail:a@b.org', 's3://bucket/reports/'], ...MAIL });
    expect(s3.state).toEqual({ kind: 's3', bucket: 'bucket', key: 'reports/morning.state.json' });
  });

  it('makes a target of each mail address', async () => {
    const { schedule } = await check({
      targets: ['mail:a@b.org, c@d.org'],
      state: 's3://bucket/state',
      ...MAIL,
    });
    expect(schedule.targets.map(({ key }) => key)).toEqual(['mail:a@b.org', 'mail:c@d.org']);
  });

  it('seals the address of a webhook and shows its host alone', async () => {
    const url = 'https://hooks.example.org/T0/B1/x9y8z7?token=abc';
    const { schedule } = await check({ targets: [url], state: 's3://bucket/state' });
    const [target] = schedule.targets;
    expect(JSON.stringify(schedule)).not.toMatch(/x9y8z7|token/);
    expect(target?.key).toMatch(/^webhook:hooks\.example\.org#[0-9a-f]{12}$/);
    const sealed = target?.kind === 'webhook' ? target.url : undefined;
    expect(unseal(SEAL_KEYS, sealed, webhookUrlPurpose(target?.key ?? ''))).toBe(url);
  });

  it.each<[string, Partial<ScheduleWish>, string]>([
    ['an id with a slash', { id: 'a/b' }, 'id'],
    ['a zone that is none', { zone: 'Berlin' }, 'timezone'],
    ['no target', { targets: [] }, 'to'],
    ['a target of no kind', { targets: ['ftp://host/reports'] }, 'to'],
    ['a plain path', { targets: ['/srv/reports'] }, 'to'],
    ['the same target twice', { targets: ['file:/srv/reports', 'file:///srv/reports'] }, 'to'],
    ['plain http to another machine', { targets: ['http://hooks.example.org/x'], state: '/s' }, 'to'],
    ['a password in an address', { targets: ['https://user:pass@hooks.example.org/x'], state: '/s' }, 'to'],
    ['an address that is none', { targets: ['mail:ops at example.org'], ...MAIL, state: '/s' }, 'to'],
    ['a line break in an address', { targets: ['mail:a@b.org\r\nBcc: c@d.org'], ...MAIL, state: '/s' }, 'to'],
    [
      'a sender with a name',
      { targets: ['mail:a@b.org'], smtpSecret: 's', mailFrom: 'R <r@b.org>', state: '/s' },
      'mail-from',
    ],
    ['mail without a server', { targets: ['mail:a@b.org'], mailFrom: 'r@b.org', state: '/s' }, 'smtp-secret'],
    ['mail without a sender', { targets: ['mail:a@b.org'], smtpSecret: 'smtp', state: '/s' }, 'mail-from'],
    ['a server without mail', { smtpSecret: 'smtp' }, 'smtp-secret'],
    ['a signature without a webhook', { webhookSecret: 'signing' }, 'webhook-secret'],
    ['no place for its state', { targets: ['mail:a@b.org'], ...MAIL }, 'state'],
  ])('is refused for %s', async (_name, change, field) => {
    const error: unknown = await check(change).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ facts: { field, hint: expect.any(String) } });
  });

  it('is refused for all that is wrong with it at once, each with its flag and what to do', async () => {
    const wish: Partial<ScheduleWish> = {
      id: '',
      zone: 'Berlin',
      timing: { at: '25:00' },
      targets: ['ftp://host', 'file:/srv/reports', 'mail:ops'],
    };
    const error: unknown = await check(wish).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({
      message: [
        '5 flags are wrong:',
        'the schedule has no --id',
        '--timezone: "Berlin" is no time zone',
        '--at: "25:00" is no time of day',
        '--to: "ftp://host" is no kind of target',
        '--to: "ops" is no mail address',
      ].join('\n  '),
      facts: { field: 'id', hint: expect.stringContaining('--timezone: Did you mean Europe/Berlin?') },
    });
  });

  it('is refused for what its targets lack, and what none of them uses', async () => {
    const error: unknown = await check({
      targets: ['mail:a@b.org'],
      mailFrom: 'r@b.org',
      webhookSecret: 'signing',
    }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: expect.stringMatching(/--smtp-secret\n.*--webhook-secret.*\n.*--state/),
    });
  });

  it('has a digest that names what differs, and is the same for the same settings', async () => {
    const hook = { targets: ['https://hooks.example.org/x'], state: '/srv/state.json' };
    const [one, same, other] = await Promise.all([
      check(hook),
      check(hook),
      check({ ...hook, zone: 'Europe/Berlin', timing: { at: '08:00' }, webhookSecret: 'signing' }),
    ]);
    expect(differingParts(scheduleDigest(one.schedule), scheduleDigest(same.schedule))).toEqual([]);
    expect(differingParts(scheduleDigest(other.schedule), scheduleDigest(one.schedule))).toEqual([
      'times',
      'timezone',
      'webhook-secret',
    ]);
  });

  it.each<[string, Partial<ScheduleWish>]>([
    ['times', { timing: { at: '08:00' } }],
    ['timezone', { zone: 'Europe/Berlin' }],
    ['targets', { targets: ['file:/srv/others'], state: '/srv/reports/morning.state.json' }],
    ['state', { state: '/srv/state.json' }],
    ['when-nothing', { whenNothing: 'silent' }],
    ['lag', { lagMs: 60_000 }],
    ['overlap', { overlapMs: 60_000 }],
    ['scope', { scope: { mediaId: '17' } }],
    ['delivery-limit', { deliveryLimitMs: 60_000 }],
  ])('has a digest that tells another setting of %s', async (part, change) => {
    const [one, other] = await Promise.all([check({}), check(change)]);
    expect(differingParts(scheduleDigest(other.schedule), scheduleDigest(one.schedule))).toEqual([part]);
  });
});

describe('a changed schedule', () => {
  const NEW: ScheduleWish = {
    id: 'morning',
    timing: { every: '1w', at: '06:30', on: 'FRIDAY' },
    zone: 'Europe/Berlin',
    targets: ['mail:a@b.org', 'https://hooks.example.org/x', 'file:/srv/reports'],
    ...MAIL,
    webhookSecret: 'signing',
    whenNothing: 'silent',
    lagMs: 60_000,
    overlapMs: 120_000,
    deliveryLimitMs: 180_000,
    scope: { mediaId: '17', top: 3 },
  };
  const changed = async (change: Partial<ScheduleWish>): Promise<[ReportSchedule, ReportSchedule]> => {
    const { schedule: current } = await checkSchedule(NEW, READING, { now: NOW });
    const wish = { id: 'morning', timing: {}, targets: [], ...change };
    const { schedule } = await checkSchedule(wish, { ...READING, host: 'other' }, { now: NOW, current });
    return [current, schedule];
  };

  it('keeps every setting that is not given', async () => {
    const [before, after] = await changed({});
    expect(after).toEqual(before);
  });

  it('takes what is given, and keeps the rest: times, groups of the scope, and the state of the first folder', async () => {
    const [before, after] = await changed({
      timing: { at: '08:00' },
      targets: ['file:/srv/others'],
      scope: { top: 5 },
      lagMs: 0,
    });
    const { mail: _mail, webhookSecret: _secret, ...rest } = before;
    expect(after).toEqual({
      ...rest,
      timing: { every: '1w', at: '08:00', on: 'FRIDAY' },
      times: 'every Friday at 08:00',
      targets: [{ kind: 'place', key: 'file:/srv/others@other', folder: expect.anything() }],
      scope: { mediaId: '17', top: 5 },
      lagMs: 0,
    });
  });

  it('is refused for settings that do not go with those it keeps', async () => {
    await expect(changed({ targets: ['file:/srv/others'], mailFrom: 'x@b.org' })).rejects.toMatchObject({
      facts: { field: 'mail-from' },
    });
  });
});
