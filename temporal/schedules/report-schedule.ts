import { given } from '../../api/json';
import { ValidationError, wrongField } from '../../api/errors';
import { digestsOf } from '../client/value-digest';
import type {
  MailSettings,
  ReportSchedule,
  ReportScope,
  ReportTarget,
  TimingRequest,
} from '../contract/failure-report';
import { checkMailAddress, parseTargets } from './parse-targets';
import type { TargetReading } from './parse-targets';
import { changedTiming, checkZone, timingOf } from './timing';
import type { Timing } from './timing';
import { RequestMistakes } from './request-mistakes';
import { HOUR_MS, MINUTE_MS } from '../../api/durations';

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
  /** Default `send`. */
  readonly onEmpty?: 'send' | 'skip';
  /** Default 10 minutes. */
  readonly lagMs?: number;
  /** Default 24 hours. */
  readonly overlapMs?: number;
  /** Default 1 hour. */
  readonly deliveryLimitMs?: number;
  /** See `ReportSchedule`. */
  readonly heartbeatMs?: number;
  readonly scope?: ReportScope;
}

export interface CheckedSchedule {
  readonly schedule: ReportSchedule;
  readonly timing: Timing;
}

interface ScheduleCheck {
  /** Epoch ms. */
  readonly now: number;
  /** Mistakes that were found before this check. */
  readonly mistakes?: RequestMistakes;
  /** The schedule that the request changes. Fields that are missing in the request stay as they are there. */
  readonly current?: ReportSchedule;
}

type Reading = TargetReading & Pick<ScheduleCheck, 'now' | 'current'>;

/**
 * The complete schedule. Has no side effects, except that it loads the cron library. Throws one `ValidationError` that
 * names every wrong flag.
 */
export async function checkSchedule(
  request: ScheduleRequest,
  paths: TargetReading,
  { now, current, mistakes = new RequestMistakes() }: ScheduleCheck,
): Promise<CheckedSchedule> {
  const reading = { ...paths, now, ...(current === undefined ? {} : { current }) };
  try {
    const checked = await readRequest(request, reading);
    mistakes.refuse();
    return checked;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    await findMistakes(request, reading, mistakes);
    mistakes.refuse();
    throw error;
  }
}

/** If targets are wrong, it can't check what else they need. */
async function findMistakes(
  request: ScheduleRequest,
  reading: Reading,
  mistakes: RequestMistakes,
): Promise<void> {
  const { now, current } = reading;
  mistakes.attempt(() => checkScheduleId(request.id));
  const zone = mistakes.attempt(() => zoneOf(request, reading));
  const timing = changedTiming(current?.timing, request.timing);
  await timingOf(timing, zone ?? 'UTC', now).catch((error: unknown) => mistakes.keep(error));
  const each = request.targets.map((text) => mistakes.attempt(() => parseTargets([text], reading)));
  if (each.includes(undefined)) return;
  const targets = mistakes.attempt(() => targetsOf(request, reading));
  if (targets === undefined) return;
  mistakes.attempt(() => mailOf(request, targets, reading));
  mistakes.attempt(() => webhookSecretOf(request, targets, reading));
}

async function readRequest(request: ScheduleRequest, reading: Reading): Promise<CheckedSchedule> {
  const { now, current } = reading;
  const id = checkScheduleId(request.id);
  const zone = zoneOf(request, reading);
  const requested = changedTiming(current?.timing, request.timing);
  const timing = await timingOf(requested, zone, now);
  const targets = targetsOf(request, reading);
  const mail = mailOf(request, targets, reading);
  const webhookSecret = webhookSecretOf(request, targets, reading);
  const heartbeatMs = request.heartbeatMs ?? current?.heartbeatMs;
  return {
    timing,
    schedule: {
      id,
      zone,
      timing: requested,
      times: timing.words,
      interval: timing.interval,
      lagMs: request.lagMs ?? current?.lagMs ?? 10 * MINUTE_MS,
      overlapMs: request.overlapMs ?? current?.overlapMs ?? 24 * HOUR_MS,
      scope: { ...current?.scope, ...request.scope },
      targets,
      ...given({ mail, webhookSecret }),
      onEmpty: request.onEmpty ?? current?.onEmpty ?? 'send',
      deliveryLimitMs: request.deliveryLimitMs ?? current?.deliveryLimitMs ?? HOUR_MS,
      ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
    },
  };
}

function checkScheduleId(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id)) return id;
  throw wrongField(
    'id',
    id === '' ? 'is missing' : `"${id.slice(0, 80)}" can't be the id of a schedule`,
    'Use letters, digits, ".", "_" and "-", 64 at most.',
  );
}

/** The meaning of a schedule: a digest for each of its settings. Sealed URLs count by their key. */
export function scheduleDigest(schedule: ReportSchedule): string {
  const { times, zone, targets, mail, webhookSecret, onEmpty, lagMs, overlapMs } = schedule;
  const { scope, deliveryLimitMs } = schedule;
  return digestsOf(
    Object.entries({
      times,
      timezone: zone,
      targets: targets.map(({ key }) => key).sort(),
      mail: mail ?? null,
      'webhook-secret': webhookSecret ?? null,
      'on-empty': onEmpty,
      lag: lagMs,
      overlap: overlapMs,
      scope,
      'delivery-limit': deliveryLimitMs,
    }),
  );
}

function zoneOf({ zone }: ScheduleRequest, { current }: Reading): string {
  return checkZone(zone ?? current?.zone ?? 'UTC');
}

function targetsOf({ targets }: ScheduleRequest, reading: Reading): readonly ReportTarget[] {
  if (targets.length === 0 && reading.current !== undefined) return reading.current.targets;
  return parseTargets(targets, reading);
}

function mailOf(
  request: ScheduleRequest,
  targets: readonly ReportTarget[],
  { current }: Reading,
): MailSettings | undefined {
  const wanted = targets.some(({ kind }) => kind === 'mail');
  const kept = wanted ? current?.mail : undefined;
  const { smtpSecret = kept?.smtpSecret, mailFrom = kept?.from } = request;
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
  { current }: Reading,
): string | undefined {
  if (targets.some(({ kind }) => kind === 'webhook')) return webhookSecret ?? current?.webhookSecret;
  if (webhookSecret === undefined) return undefined;
  throw wrongField(
    'webhookSecret',
    'is given without a webhook target',
    'Add a target such as https://host/path, or omit the secret.',
  );
}
