import { InvalidArgumentError, type Command } from 'commander';
import { ValidationError, wrongField } from '../../api/errors';
import { given } from '../../api/json';
import type { DeliveryFields } from '../../api/webhooks/delivery-fields';
import { GROUPS } from '../../reports/report-request';
import type { ScheduleRequest } from '../../temporal/schedules/report-schedule';
import { WEEKDAYS, type ReportScope } from '../../temporal/contract/failure-report';

import type { RequestMistakes } from '../../temporal/schedules/request-mistakes';
import { collect, keyValue, numberFrom, spanBetween, wordOf } from './option-values';

const FIELDS = ['id', 'time', 'media', 'subAccount'] as const;

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
  readonly onEmpty?: string;
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
  command.option('--id <id>', 'required: name within the account: letters, digits, ".", "_", "-"');
  return withSettingFlags(command, (text, unset) =>
    unset === REQUIRED ? `required: ${text}` : `${text} (default: ${unset})`,
  );
}

/** The same without the id and without defaults: settings without a flag stay. */
export function withChangeFlags(command: Command): Command {
  return withSettingFlags(command, (text) => text);
}

const REQUIRED = 'required';

/** `when`: the text of a flag with its default. */
function withSettingFlags(command: Command, when: (text: string, unset: string) => string): Command {
  return command
    .option('--every <span>', when('1d, 1w, or hours or minutes, for example 6h or 30m', '1d'))
    .option('--at <time>', when('time of day, with 1d and 1w', '07:00'))
    .option('--on <weekday>', when('with 1w', 'Monday'))
    .option('--cron <cron>', 'instead of --every: minute, hour, day of month, month, day of week')
    .option('--timezone <zone>', when('time zone, for example Europe/Berlin', 'UTC'))
    .option(
      '--to <target>',
      when('mail:a@b[,c@d], https://…, s3://bucket/folder, file:/folder; repeatable', REQUIRED),
      texts,
    )
    .option('--smtp-secret <name>', 'name of the secret with the mail server: smtps://user:password@host')
    .option('--mail-from <address>', 'sender address of mails')
    .option('--webhook-secret <name>', when('name of the secret that signs webhook posts', 'unsigned'))
    .option(
      '--shared-path',
      'every worker mounts the folders that are given; otherwise they are on this machine',
    )
    .option('--on-empty <how>', when('send or skip: what to do if nothing failed', 'send'))
    .option('--lag <span>', when('a period ends this long before now', '10m'))
    .option('--overlap <span>', when('how far back late records are searched for', '24h'))
    .option('--delivery-limit <span>', when('how long a target is retried', '1h'))
    .option('--media-id <id>', 'only deliveries about this media item')
    .option('--sub-account <id>', when('only this sub-account', 'all of the account'))
    .option('--by <group>', when(`${GROUPS.join(' or ')}; repeatable`, 'media'), texts)
    .option('--top <n>', when('rows of each group', '10'))
    .option('--max-records <n>', when('maximum number of records to read', '20000'))
    .option(
      '--field <role=name>',
      `which field of a record has this role, for example time=sentAt; roles: ${FIELDS.join(', ')}; repeatable`,
      texts,
    );
}

/** Returns the request from the flags. Values that can't be read are missing in it and added to the mistakes. */
export function scheduleRequestOf(flags: ScheduleFlags, mistakes: RequestMistakes): ScheduleRequest {
  const read: Reader = (flag, text, parse) =>
    text === undefined ? undefined : mistakes.attempt(() => valueOf(flag, text, parse));
  const { id = '', every, at, cron, timezone, to = [], smtpSecret, mailFrom, webhookSecret } = flags;
  return {
    id,
    targets: to,
    timing: given({ every, at, on: read('--on', flags.on, wordOf(WEEKDAYS)), cron }),
    ...given({
      zone: timezone,
      smtpSecret,
      mailFrom,
      webhookSecret,
      onEmpty: read('--on-empty', flags.onEmpty, wordOf(['send', 'skip'])),
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
  const groups = by?.map((text) => read('--by', text, wordOf(GROUPS)));
  const fields = field?.map((text) => read('--field', text, fieldOf));
  return given({
    mediaId,
    subAccountId: subAccount,
    groups: groups?.filter((group) => group !== undefined),
    top: read('--top', top, numberFrom(1, 100)),
    maxRecords: read('--max-records', maxRecords, numberFrom(1)),
    fields: fields?.reduce<DeliveryFields>((all, one) => ({ ...all, ...one }), {}),
  });
}

/** Throws a `ValidationError` if the flag does not accept the value. */
function valueOf<T>(flag: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw wrongField(flag, `"${text.slice(0, 60)}" is invalid. ${error.message}`);
  }
}

function fieldOf(text: string): DeliveryFields {
  const [role, name] = keyValue(text);
  const known = FIELDS.find((each) => each.toLowerCase() === role.trim().toLowerCase());
  if (known !== undefined) return { [known]: name };
  throw new ValidationError(
    '--field',
    `"${role}" must be one of ${FIELDS.join(', ')}.`,
    'Write --field media=assetId.',
  );
}
