import { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import {
  scheduleRequestOf,
  withScheduleFlags,
  type ScheduleFlags,
} from '../../../../cli/flags/schedule-flags';
import type { ScheduleRequest } from '../../../../temporal/schedules/report-schedule';
import { RequestMistakes } from '../../../../temporal/schedules/request-mistakes';

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
    const spans = ['--lag', '5m', '--overlap', '2h', '--delivery-limit', '90s', '--on-empty', 'SKIP'];
    const which = '--media-id m --sub-account s --by media --top 5 --max-records 7'.split(' ');
    const fields = ['--field', 'media=assetId', '--field', 'SUBACCOUNT=owner'];
    expect(requestOf(...LEAST, '--to', 's3://b/x', ...when, ...spans, ...which, ...fields)).toEqual({
      request: {
        id: 'morning',
        targets: ['file:/srv/reports', 's3://b/x'],
        timing: { every: '1w', at: '07:00', on: 'FRIDAY' },
        zone: 'Europe/Berlin',
        onEmpty: 'skip',
        lagMs: 300_000,
        overlapMs: 7_200_000,
        deliveryLimitMs: 90_000,
        scope: {
          mediaId: 'm',
          subAccountId: 's',
          groups: ['media'],
          top: 5,
          maxRecords: 7,
          fields: { media: 'assetId', subAccount: 'owner' },
        },
      },
      refused: '',
    });
  });

  it("are all reported together if they can't be read", () => {
    const wrong = ['--lag', '8d', '--top', '0', '--on', 'Funday', '--field', 'colour=x', '--by', 'moon'];
    const { request, refused } = requestOf(...LEAST, ...wrong);
    expect(refused.split('\n  ')).toEqual([
      'ValidationError: 5 settings are wrong:',
      expect.stringMatching(/^--on "Funday" is invalid\. It must be one of MONDAY/),
      '--lag "8d" is invalid. It must be a time span from 0s to 7d.',
      expect.stringMatching(/^--by "moon" is invalid/),
      expect.stringMatching(/^--field: "colour" must be one of/),
      '--top "0" is invalid. It must be a whole number from 1 to 100.',
    ]);
    expect(request).toMatchObject({ id: 'morning', timing: {} });
  });
});
