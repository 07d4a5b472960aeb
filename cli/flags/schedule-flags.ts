import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { wrongField } from '../../api/errors';
import { given } from '../../api/json';
import type { RequestMistakes, ScheduleRequest } from '../../temporal/reports/client/report-schedule';
import { WEEKDAYS } from '../../temporal/reports/types';
import type { Weekday } from '../../temporal/reports/types';
import { collect, wordOf } from './option-values';

/** The texts as given. They are read together, so that all wrong values are reported at once. */
export interface ScheduleFlags {
  readonly id?: string;
  readonly every?: string;
  readonly at?: string;
  readonly on?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly to?: readonly string[];
  readonly sharedPath?: boolean;
  readonly smtpSecret?: string;
  readonly mailFrom?: string;
  readonly webhookSecret?: string;
  readonly mediaId?: string;
  readonly subAccount?: string;
  readonly json?: boolean;
}

const texts = collect((text) => text);

/** The flags of a new schedule: when, where to, and which deliveries. */
export function withScheduleFlags(command: Command): Command {
  return command
    .option('--id <id>', 'required: name within the account: letters, digits, ".", "_", "-"')
    .option('--every <span>', '1d, 1w, or hours or minutes, for example 6h or 30m (default: 1d)')
    .option('--at <time>', 'time of day, with 1d and 1w (default: 07:00)')
    .option('--on <weekday>', 'with 1w (default: Monday)')
    .option('--cron <cron>', 'instead of --every: minute, hour, day of month, month, day of week')
    .option('--timezone <zone>', 'time zone, for example Europe/Berlin (default: UTC)')
    .option(
      '--to <target>',
      'required: mail:a@b[,c@d], https://…, s3://bucket/folder, file:/folder; repeatable',
      texts,
    )
    .option('--smtp-secret <name>', 'name of the secret with the mail server: smtps://user:password@host')
    .option('--mail-from <address>', 'sender address of mails')
    .option('--webhook-secret <name>', 'name of the secret that signs webhook posts (default: unsigned)')
    .option(
      '--shared-path',
      'every worker mounts the folders that are given; otherwise they are on this machine',
    )
    .option('--media-id <id>', 'only deliveries about this media item')
    .option('--sub-account <id>', 'only this sub-account (default: all of the account)');
}

/** Returns the request from the flags. Values that can't be read are missing in it and added to the mistakes. */
export function scheduleRequestOf(flags: ScheduleFlags, mistakes: RequestMistakes): ScheduleRequest {
  const { id = '', every, at, cron, timezone, to = [], smtpSecret, mailFrom, webhookSecret } = flags;
  const { mediaId, subAccount } = flags;
  const on = mistakes.attempt(() => (flags.on === undefined ? undefined : weekdayOf(flags.on)));
  return {
    id,
    targets: to,
    timing: given({ every, at, on, cron }),
    ...given({ zone: timezone, smtpSecret, mailFrom, webhookSecret }),
    scope: given({ mediaId, subAccountId: subAccount }),
  };
}

/** Throws a `ValidationError` for anything else. */
function weekdayOf(text: string): Weekday {
  try {
    return wordOf(WEEKDAYS)(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw wrongField('--on', `"${text.slice(0, 60)}" is invalid. ${error.message}`);
  }
}
