import { Command } from 'commander';
import { scheduleRequestOf, withScheduleFlags } from '../../../../../cli/commands/schedules/create';
import type { ScheduleFlags } from '../../../../../cli/commands/schedules/create';
import type { ScheduleRequest } from '../../../../../temporal/reports/client/report-schedule';

function requestOf(...words: string[]): ScheduleRequest {
  const command = withScheduleFlags(new Command().exitOverride()).parse(words, { from: 'user' });
  return scheduleRequestOf(command.opts<ScheduleFlags>());
}

const LEAST = ['--id', 'morning', '--target', 'file:/srv/reports'];

describe('the flags of a new schedule', () => {
  it('keep the defaults if they were not given', () => {
    expect(requestOf(...LEAST)).toEqual({
      id: 'morning',
      targets: ['file:/srv/reports'],
      timing: {},
      scope: {},
    });
  });

  it('become a request', () => {
    const when = ['--cron', '0 7 * * 5', '--timezone', 'Europe/Berlin'];
    const which = '--media-id m --sub-account s'.split(' ');
    expect(requestOf(...LEAST, '--target', 's3://b/x', ...when, ...which)).toEqual({
      id: 'morning',
      targets: ['file:/srv/reports', 's3://b/x'],
      timing: { cron: '0 7 * * 5' },
      zone: 'Europe/Berlin',
      scope: { mediaId: 'm', subAccountId: 's' },
    });
  });
});
