import type { Command } from 'commander';
import { ValidationError } from '../../api/errors';
import type { DeliveryFields } from '../../api/webhooks/delivery-fields';
import { GROUPS, type Group } from '../../reports/report-request';
import type { ScheduleWish } from '../../temporal/schedules/report-schedule';
import { WEEKDAYS, type Weekday } from '../../temporal/schedules/timing';
import { collect, keyValue, oneOf, spanBetween, wholeNumber } from './option-values';

const FIELDS = ['id', 'time', 'media', 'subAccount'] as const;

export interface ScheduleFlags {
  readonly id: string;
  readonly every?: string;
  readonly at?: string;
  readonly on?: Weekday;
  readonly cron?: string;
  readonly timezone?: string;
  readonly to: readonly string[];
  readonly state?: string;
  readonly sharedPath?: boolean;
  readonly smtpSecret?: string;
  readonly mailFrom?: string;
  readonly webhookSecret?: string;
  readonly whenNothing?: 'say' | 'silent';
  readonly lag?: number;
  readonly overlap?: number;
  readonly deliveryLimit?: number;
  readonly mediaId?: string;
  readonly subAccount?: string;
  readonly by?: readonly Group[];
  readonly top?: number;
  readonly maxRecords?: number;
  readonly field?: readonly (readonly [string, string])[];
  readonly json?: boolean;
}

/** The flags of a new schedule: when, where to, and which deliveries. */
export function withScheduleFlags(command: Command): Command {
  return command
    .requiredOption('--id <id>', 'its name within the account: letters, digits, ".", "_", "-"')
    .option('--every <span>', '1d, 1w, or hours and minutes as 6h, 30m (default: 1d)')
    .option('--at <time>', 'time of day, with 1d and 1w (default: 07:00)')
    .option('--on <weekday>', 'with 1w (default: Monday)', oneOf(WEEKDAYS))
    .option('--cron <cron>', 'in place of --every: minute, hour, day of month, month, day of week')
    .option('--timezone <zone>', 'zone of times and of days, as Europe/Berlin (default: UTC)')
    .requiredOption(
      '--to <target>',
      'mail:a@b[,c@d], https://…, s3://bucket/folder, file:/folder; repeatable',
      collect((text) => text),
    )
    .option('--smtp-secret <name>', 'secret with the mail server: smtps://user:password@host')
    .option('--mail-from <address>', 'sender of mails')
    .option('--webhook-secret <name>', 'secret that signs webhook posts (default: unsigned)')
    .option('--state <place>', 'file or s3://… that remembers what was told (default: beside the files)')
    .option('--shared-path', 'every worker mounts the folders; else they lie on this machine')
    .option(
      '--when-nothing <how>',
      'say or silent, where nothing failed (default: say)',
      oneOf(['say', 'silent']),
    )
    .option('--lag <span>', 'a window ends so long before now (default: 10m)', spanBetween('0s', '7d'))
    .option(
      '--overlap <span>',
      'how far back late records are looked for (default: 24h)',
      spanBetween('0s', '31d'),
    )
    .option('--delivery-limit <span>', 'how long a target is tried (default: 1h)', spanBetween('1m', '24h'))
    .option('--media-id <id>', 'only deliveries about this media')
    .option('--sub-account <id>', 'only this sub-account (default: all of the account)')
    .option('--by <group>', `${GROUPS.join(' or ')}; repeatable (default: media)`, collect(oneOf(GROUPS)))
    .option('--top <n>', 'rows of each group (default: 10)', wholeNumber(1, 100))
    .option('--max-records <n>', 'records read at most (default: 20000)', wholeNumber(1))
    .option(
      '--field <role=name>',
      `name of a record's field, by role: ${FIELDS.join(', ')}; repeatable`,
      collect(keyValue),
    );
}

export function scheduleWishOf(flags: ScheduleFlags): ScheduleWish {
  const { id, every, at, on, cron, timezone, to, lag, overlap, deliveryLimit } = flags;
  const { mediaId, subAccount, by, top, maxRecords } = flags;
  const scope = {
    mediaId,
    subAccountId: subAccount,
    groups: by,
    top,
    maxRecords,
    fields: flags.field === undefined ? undefined : fieldsOf(flags.field),
  };
  const { state, smtpSecret, mailFrom, webhookSecret, whenNothing } = flags;
  return {
    id,
    targets: to,
    timing: given({ every, at, on, cron }),
    ...given({ zone: timezone, state, smtpSecret, mailFrom, webhookSecret, whenNothing }),
    ...given({ lagMs: lag, overlapMs: overlap, deliveryLimitMs: deliveryLimit }),
    scope: given(scope),
  };
}

/** Without the fields that are undefined. */
function given<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> };
function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function fieldsOf(pairs: readonly (readonly [string, string])[]): DeliveryFields {
  const fields: Partial<Record<(typeof FIELDS)[number], string>> = {};
  for (const [role, name] of pairs) {
    const known = FIELDS.find((each) => each.toLowerCase() === role.trim().toLowerCase());
    if (known === undefined) {
      throw new ValidationError(
        '--field',
        `"${role}" is none of ${FIELDS.join(', ')}.`,
        'Write --field media=assetId.',
      );
    }
    fields[known] = name;
  }
  return fields;
}
