import { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { scheduleRequestOf, withScheduleFlags } from '../../../../../cli/commands/schedule/create';
import type { ScheduleFlags } from '../../../../../cli/commands/schedule/create';
import { RequestMistakes } from '../../../../../temporal/reports/client/report-schedule';
import type { ScheduleRequest } from '../../../../../temporal/reports/client/report-schedule';

function requestOf(...words: string[]): { readonly request: ScheduleRequest; readonly refused: string } {
  const command = withScheduleFlags(new Command().exitOverride()).parse(words, { from: 'user' });
  const mistakes = new RequestMistakes();
  const request = scheduleRequestOf(command.opts<ScheduleFlags>(), mistakes);
  let refused = '';
  try {
    mistakes.refuse();
  } catch (error) {
    refused = String(error);
  }
  return { request, refused };
}

const LEAST = ['--id', 'morning', '--to', 'file:/srv/reports'];

describe('the flags of a new schedule', () => {
  it('keep the defaults if they were not given', () => {
    expect(requestOf(...LEAST)).toEqual({
      request: { id: 'morning', targets: ['file:/srv/reports'], timing: {}, scope: {} },
      refused: '',
    });
  });

  it('become a request', () => {
    const when = ['--every', '1w', '--at', '07:00', '--on', 'friday', '--timezone', 'Europe/Berlin'];
    const which = '--media-id m --sub-account s'.split(' ');
    expect(requestOf(...LEAST, '--to', 's3://b/x', ...when, ...which)).toEqual({
      request: {
        id: 'morning',
        targets: ['file:/srv/reports', 's3://b/x'],
        timing: { every: '1w', at: '07:00', on: 'FRIDAY' },
        zone: 'Europe/Berlin',
        scope: { mediaId: 'm', subAccountId: 's' },
      },
      refused: '',
    });
  });

  it('are reported together with the other mistakes of the request', () => {
    const { request, refused } = requestOf(...LEAST, '--on', 'Funday');
    expect(refused).toMatch(/^ValidationError: --on "Funday" is invalid\. It must be one of MONDAY/);
    expect(request).toMatchObject({ id: 'morning', timing: {} });
  });
});
