import { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { scheduleWishOf, withScheduleFlags, type ScheduleFlags } from '../../../../cli/flags/schedule-flags';
import type { ScheduleWish } from '../../../../temporal/schedules/report-schedule';
import { WishMistakes } from '../../../../temporal/schedules/wish-mistakes';

function wishOf(...words: string[]): { readonly wish: ScheduleWish; readonly refused: string } {
  const command = withScheduleFlags(new Command().exitOverride()).parse(words, { from: 'user' });
  const mistakes = new WishMistakes();
  const wish = scheduleWishOf(command.opts<ScheduleFlags>(), mistakes);
  let refused = '';
  try {
    mistakes.refuse();
  } catch (error) {
    refused = String(error);
  }
  return { wish, refused };
}

const LEAST = ['--id', 'morning', '--to', 'file:/srv/reports'];

describe('the flags of a new schedule', () => {
  it('that were not given leave all to their defaults', () => {
    expect(wishOf(...LEAST)).toEqual({
      wish: { id: 'morning', targets: ['file:/srv/reports'], timing: {}, scope: {} },
      refused: '',
    });
  });

  it('become a wish', () => {
    const when = ['--every', '1w', '--at', '07:00', '--on', 'friday', '--timezone', 'Europe/Berlin'];
    const spans = ['--lag', '5m', '--overlap', '2h', '--delivery-limit', '90s', '--when-nothing', 'SILENT'];
    const which = [
      '--media-id',
      'm',
      '--sub-account',
      's',
      '--by',
      'media',
      '--top',
      '5',
      '--max-records',
      '7',
    ];
    const fields = ['--field', 'media=assetId', '--field', 'SUBACCOUNT=owner'];
    expect(wishOf(...LEAST, '--to', 's3://b/x', ...when, ...spans, ...which, ...fields)).toEqual({
      wish: {
        id: 'morning',
        targets: ['file:/srv/reports', 's3://b/x'],
        timing: { every: '1w', at: '07:00', on: 'FRIDAY' },
        zone: 'Europe/Berlin',
        whenNothing: 'silent',
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

  it('that cannot be read are told together', () => {
    const wrong = ['--lag', '8d', '--top', '0', '--on', 'Funday', '--field', 'colour=x', '--by', 'moon'];
    const { wish, refused } = wishOf(...LEAST, ...wrong);
    expect(refused.split('\n  ')).toEqual([
      'ValidationError: 5 flags are wrong:',
      expect.stringMatching(/^--on "Funday" is invalid\. It must be one of MONDAY/),
      '--lag "8d" is invalid. It must be a time span from 0s to 7d.',
      expect.stringMatching(/^--by "moon" is invalid/),
      expect.stringMatching(/^--field: "colour" is none of/),
      '--top "0" is invalid. It must be a whole number from 1 to 100.',
    ]);
    expect(wish).toMatchObject({ id: 'morning', timing: {} });
  });
});
