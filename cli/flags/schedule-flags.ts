import { InvalidArgumentError, type Command } from 'commander';
import { ValidationError } from '../../api/errors';
import type { DeliveryFields } from '../../api/webhooks/delivery-fields';
import { GROUPS } from '../../reports/report-request';
import type { ScheduleWish } from '../../temporal/schedules/report-schedule';
import type { ReportScope } from '../../temporal/contract/failure-report';
import { WEEKDAYS } from '../../temporal/schedules/timing';
import type { WishMistakes } from '../../temporal/schedules/wish-mistakes';
import { collect, keyValue, oneOf, spanBetween, wholeNumber } from './option-values';

const FIELDS = ['id', 'time', 'media', 'subAccount'] as const;

/** As they were given: values are read together, so that all that are wrong are told at once. */
export interface ScheduleFlags {
  readonly id?: string;
  readonly every?: string;
  readonly at?: string;
  readonly on?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly to?: readonly string[];
  readonly state?: string;
  readonly sharedPath?: boolean;
  readonly smtpSecret?: string;
  readonly mailFrom?: string;
  readonly webhookSecret?: string;
  readonly whenNothing?: string;
  readonly lag?: string;
  readonly overlap?: string;
  readonly deliveryLimit?: string;
  readonly mediaId?: string;
  readonly subAccount?: string;
  readonly by?: readonly string[];
  readonly top?: string;
  readonly maxRecords?: string;
  readonly field?: readonly string[];
  readonly json?: boolean;
}

const texts = collect((text) => text);

/** The flags of a new schedule: when, where to, and which deliveries. */
export function withScheduleFlags(command: Command): Command {
  return command
    .option('--id <id>', 'required: its name within the account: letters, digits, ".", "_", "-"')
    .option('--every <span>', '1d, 1w, or hours and minutes as 6h, 30m (default: 1d)')
    .option('--at <time>', 'time of day, with 1d and 1w (default: 07:00)')
    .option('--on <weekday>', 'with 1w (default: Monday)')
    .option('--cron <cron>', 'in place of --every: minute, hour, day of month, month, day of week')
    .option('--timezone <zone>', 'zone of times and of days, as Europe/Berlin (default: UTC)')
    .option(
      '--to <target>',
      'required: mail:a@b[,c@d], https://…, s3://bucket/folder, file:/folder; repeatable',
      texts,
    )
    .option('--smtp-secret <name>', 'secret with the mail server: smtps://user:password@host')
    .option('--mail-from <address>', 'sender of mails')
    .option('--webhook-secret <name>', 'secret that signs webhook posts (default: unsigned)')
    .option('--state <place>', 'file or s3://… that remembers what was told (default: beside the files)')
    .option('--shared-path', 'every worker mounts the folders; else they lie on this machine')
    .option('--when-nothing <how>', 'say or silent, where nothing failed (default: say)')
    .option('--lag <span>', 'a window ends so long before now (default: 10m)')
    .option('--overlap <span>', 'how far back late records are looked for (default: 24h)')
    .option('--delivery-limit <span>', 'how long a target is tried (default: 1h)')
    .option('--media-id <id>', 'only deliveries about this media')
    .option('--sub-account <id>', 'only this sub-account (default: all of the account)')
    .option('--by <group>', `${GROUPS.join(' or ')}; repeatable (default: media)`, texts)
    .option('--top <n>', 'rows of each group (default: 10)')
    .option('--max-records <n>', 'records read at most (default: 20000)')
    .option(
      '--field <role=name>',
      `name of a record's field, by role: ${FIELDS.join(', ')}; repeatable`,
      texts,
    );
}

/** What the flags say, without those that cannot be read: they are among the mistakes then. */
export function scheduleWishOf(flags: ScheduleFlags, mistakes: WishMistakes): ScheduleWish {
  const read: Reader = (flag, text, parse) =>
    text === undefined ? undefined : mistakes.attempt(() => valueOf(flag, text, parse));
  const { id = '', every, at, cron, timezone, to = [], state, smtpSecret, mailFrom, webhookSecret } = flags;
  return {
    id,
    targets: to,
    timing: given({ every, at, on: read('--on', flags.on, oneOf(WEEKDAYS)), cron }),
    ...given({
      zone: timezone,
      state,
      smtpSecret,
      mailFrom,
      webhookSecret,
      whenNothing: read('--when-nothing', flags.whenNothing, oneOf(['say', 'silent'])),
      lagMs: read('--lag', flags.lag, spanBetween('0s', '7d')),
      overlapMs: read('--overlap', flags.overlap, spanBetween('0s', '31d')),
      deliveryLimitMs: read('--delivery-limit', flags.deliveryLimit, spanBetween('1m', '24h')),
    }),
    scope: scopeOf(flags, read),
  };
}

type Reader = <T>(flag: string, text: string | undefined, parse: (text: string) => T) => T | undefined;

function scopeOf(
  { mediaId, subAccount, by, top, maxRecords, field }: ScheduleFlags,
  read: Reader,
): ReportScope {
  const groups = by?.map((text) => read('--by', text, oneOf(GROUPS)));
  const fields = field?.map((text) => read('--field', text, fieldOf));
  return given({
    mediaId,
    subAccountId: subAccount,
    groups: groups?.filter((group) => group !== undefined),
    top: read('--top', top, wholeNumber(1, 100)),
    maxRecords: read('--max-records', maxRecords, wholeNumber(1)),
    fields: fields?.reduce<DeliveryFields>((all, one) => ({ ...all, ...one }), {}),
  });
}

/** Throws a `ValidationError` where the value is not one that the flag takes. */
function valueOf<T>(flag: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new ValidationError(flag, `${flag} "${text.slice(0, 60)}" is invalid. ${error.message}`);
  }
}

/** Without the fields that are undefined. */
function given<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> };
function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function fieldOf(text: string): DeliveryFields {
  const [role, name] = keyValue(text);
  const known = FIELDS.find((each) => each.toLowerCase() === role.trim().toLowerCase());
  if (known !== undefined) return { [known]: name };
  throw new ValidationError(
    '--field',
    `"${role}" is none of ${FIELDS.join(', ')}.`,
    'Write --field media=assetId.',
  );
}
