import { given } from '../../../api/json';
import { wrongField } from '../../../api/errors';
import type { MailSettings, ReportSchedule, ReportScope, ReportTarget } from '../types';
import { checkMailAddress, parseTargets } from './parse-targets';
import type { TargetReading } from './parse-targets';
import { checkZone, timingOf } from './timing';
import type { TimingRequest } from './timing';

/** A schedule as the user writes it. Every missing field has a default. */
export interface ScheduleRequest {
  /** Letters, digits, `.`, `_`, `-`, at most 64. */
  readonly id: string;
  readonly timing: TimingRequest;
  /** IANA zone. Default UTC. */
  readonly zone?: string;
  /** As `parseTargets` reads them. */
  readonly targets: readonly string[];
  /** Required for a mail target. */
  readonly smtpSecret?: string;
  readonly mailFrom?: string;
  readonly webhookSecret?: string;
  /** See `ReportSchedule`. */
  readonly heartbeatMs?: number;
  readonly scope?: ReportScope;
}

/**
 * The complete schedule. Has no side effects, except that it may load the cron library. Throws a `ValidationError` that
 * names the first wrong field. `now`: epoch ms.
 */
export async function checkSchedule(
  request: ScheduleRequest,
  reading: TargetReading,
  now: number,
): Promise<ReportSchedule> {
  const id = checkScheduleId(request.id);
  const zone = checkZone(request.zone ?? 'UTC');
  const timing = await timingOf(request.timing, zone, now);
  const targets = parseTargets(request.targets, reading);
  const mail = mailOf(request, targets);
  const webhookSecret = webhookSecretOf(request, targets);
  const { heartbeatMs, scope = {} } = request;
  return { id, zone, ...timing, scope, targets, ...given({ mail, webhookSecret, heartbeatMs }) };
}

function checkScheduleId(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id)) return id;
  throw wrongField(
    'id',
    id === '' ? 'is missing' : `"${id.slice(0, 80)}" can't be the id of a schedule`,
    'Use letters, digits, ".", "_" and "-", 64 at most.',
  );
}

function mailOf(
  { smtpSecret, mailFrom }: ScheduleRequest,
  targets: readonly ReportTarget[],
): MailSettings | undefined {
  const wanted = targets.some(({ kind }) => kind === 'mail');
  for (const [field, value] of Object.entries({ smtpSecret, mailFrom })) {
    if (wanted && value === undefined) {
      throw wrongField(
        field,
        'is missing: a mail target needs it',
        "A mail target needs the name of the secret that holds the mail server's address, and the address of the sender.",
      );
    }
    if (!wanted && value !== undefined)
      throw wrongField(
        field,
        'is given without a mail target',
        'Add a target such as mail:ops@example.org, or omit it.',
      );
  }
  if (smtpSecret === undefined || mailFrom === undefined) return undefined;
  return { smtpSecret, from: checkMailAddress(mailFrom, 'mailFrom') };
}

function webhookSecretOf(
  { webhookSecret }: ScheduleRequest,
  targets: readonly ReportTarget[],
): string | undefined {
  if (targets.some(({ kind }) => kind === 'webhook')) return webhookSecret;
  if (webhookSecret === undefined) return undefined;
  throw wrongField(
    'webhookSecret',
    'is given without a webhook target',
    'Add a target such as https://host/path, or omit the secret.',
  );
}
