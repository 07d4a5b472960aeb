import { createHash } from 'node:crypto';
import { canonicalJson } from '../../api/canonical-json';
import { ValidationError } from '../../api/errors';
import type { Place } from '../../places/place';
import { parsePlace, placeText, placeWithin } from '../../places/place-text';
import type {
  MailSettings,
  ReportSchedule,
  ReportScope,
  ReportTarget,
  TimingWish,
} from '../contract/failure-report';
import { checkMailAddress, parseTargets } from './parse-targets';
import type { TargetReading } from './parse-targets';
import { checkZone } from './time-zone';
import { changedTiming, timingOf } from './timing';
import type { Timing } from './timing';
import { WishMistakes } from './wish-mistakes';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What a person says of a schedule. Everything that is left out has a default. */
export interface ScheduleWish {
  /** Letters, digits, `.`, `_`, `-`, at most 64. */
  readonly id: string;
  readonly timing: TimingWish;
  /** IANA zone. Default UTC. */
  readonly zone?: string;
  /** As `parseTargets` reads them. */
  readonly targets: readonly string[];
  /** A file or object. Default: `<id>.state.json` in the first folder among the targets. */
  readonly state?: string;
  /** Needed where there is a mail target. */
  readonly smtpSecret?: string;
  readonly mailFrom?: string;
  readonly webhookSecret?: string;
  /** Default `say`. */
  readonly whenNothing?: 'say' | 'silent';
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

export interface ScheduleCheck {
  /** Epoch ms. */
  readonly now: number;
  /** What was found to be wrong before. */
  readonly mistakes?: WishMistakes;
  /** The schedule that the wish changes: what the wish leaves out stays as it is there. */
  readonly current?: ReportSchedule;
}

type Reading = TargetReading & Pick<ScheduleCheck, 'now' | 'current'>;

/** The schedule with nothing left open. Pure but for the library that reads crons. Throws one `ValidationError` that names every flag that is wrong. */
export async function checkSchedule(
  wish: ScheduleWish,
  paths: TargetReading,
  { now, current, mistakes = new WishMistakes() }: ScheduleCheck,
): Promise<CheckedSchedule> {
  const reading = { ...paths, now, ...(current === undefined ? {} : { current }) };
  try {
    const checked = await readWish(wish, reading);
    mistakes.refuse();
    return checked;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    await findMistakes(wish, reading, mistakes);
    mistakes.refuse();
    throw error;
  }
}

/** Where targets are wrong, nobody knows what else they need. */
async function findMistakes(wish: ScheduleWish, reading: Reading, mistakes: WishMistakes): Promise<void> {
  const { now, current } = reading;
  mistakes.attempt(() => checkScheduleId(wish.id));
  const zone = mistakes.attempt(() => zoneOf(wish, reading));
  const timing = changedTiming(current?.timing, wish.timing);
  await timingOf(timing, zone ?? 'UTC', now).catch((error: unknown) => mistakes.keep(error));
  const each = wish.targets.map((text) => mistakes.attempt(() => parseTargets([text], reading)));
  if (each.includes(undefined)) return;
  const targets = mistakes.attempt(() => targetsOf(wish, reading));
  if (targets === undefined) return;
  mistakes.attempt(() => mailOf(wish, targets, reading));
  mistakes.attempt(() => webhookSecretOf(wish, targets, reading));
  mistakes.attempt(() => stateOf(wish, targets, reading));
}

async function readWish(wish: ScheduleWish, reading: Reading): Promise<CheckedSchedule> {
  const { now, current } = reading;
  const id = checkScheduleId(wish.id);
  const zone = zoneOf(wish, reading);
  const request = changedTiming(current?.timing, wish.timing);
  const timing = await timingOf(request, zone, now);
  const targets = targetsOf(wish, reading);
  const mail = mailOf(wish, targets, reading);
  const webhookSecret = webhookSecretOf(wish, targets, reading);
  const heartbeatMs = wish.heartbeatMs ?? current?.heartbeatMs;
  return {
    timing,
    schedule: {
      id,
      zone,
      timing: request,
      times: timing.words,
      cadence: timing.cadence,
      lagMs: wish.lagMs ?? current?.lagMs ?? 10 * MINUTE_MS,
      overlapMs: wish.overlapMs ?? current?.overlapMs ?? 24 * HOUR_MS,
      scope: { ...current?.scope, ...wish.scope },
      targets,
      state: stateOf(wish, targets, reading),
      ...(mail === undefined ? {} : { mail }),
      ...(webhookSecret === undefined ? {} : { webhookSecret }),
      whenNothing: wish.whenNothing ?? current?.whenNothing ?? 'say',
      deliveryLimitMs: wish.deliveryLimitMs ?? current?.deliveryLimitMs ?? HOUR_MS,
      ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
    },
  };
}

export function checkScheduleId(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id)) return id;
  throw new ValidationError(
    'id',
    id === '' ? 'the schedule has no --id' : `"${id.slice(0, 80)}" is no id of a schedule`,
    'Use letters, digits, ".", "_" and "-", 64 at most.',
  );
}

/** What a schedule means, a digest for each of its settings; sealed addresses count by their key. */
export function scheduleDigest(schedule: ReportSchedule): string {
  const { times, zone, targets, state, mail, webhookSecret, whenNothing, lagMs, overlapMs } = schedule;
  const { scope, deliveryLimitMs } = schedule;
  const settings = {
    times,
    timezone: zone,
    targets: targets.map(({ key }) => key).sort(),
    state: placeText(state),
    mail: mail ?? null,
    'webhook-secret': webhookSecret ?? null,
    'when-nothing': whenNothing,
    lag: lagMs,
    overlap: overlapMs,
    scope,
    'delivery-limit': deliveryLimitMs,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}:${hash(canonicalJson(value))}`)
    .join(' ');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function zoneOf({ zone }: ScheduleWish, { current }: Reading): string {
  return checkZone(zone ?? current?.zone ?? 'UTC');
}

function targetsOf({ targets }: ScheduleWish, reading: Reading): readonly ReportTarget[] {
  if (targets.length === 0 && reading.current !== undefined) return reading.current.targets;
  return parseTargets(targets, reading);
}

function mailOf(
  wish: ScheduleWish,
  targets: readonly ReportTarget[],
  { current }: Reading,
): MailSettings | undefined {
  const wanted = targets.some(({ kind }) => kind === 'mail');
  const kept = wanted ? current?.mail : undefined;
  const { smtpSecret = kept?.smtpSecret, mailFrom = kept?.from } = wish;
  for (const [flag, value] of Object.entries({ 'smtp-secret': smtpSecret, 'mail-from': mailFrom })) {
    if (wanted && value === undefined) {
      throw new ValidationError(
        flag,
        `a mail target needs --${flag}`,
        'Give --smtp-secret, the name of the secret that holds the mail server’s address, and --mail-from, the sender.',
      );
    }
    if (!wanted && value !== undefined)
      throw new ValidationError(
        flag,
        `--${flag} without a mail target`,
        'Add --to mail:ops@example.org, or leave it out.',
      );
  }
  if (smtpSecret === undefined || mailFrom === undefined) return undefined;
  return { smtpSecret, from: checkMailAddress(mailFrom, 'mail-from') };
}

function webhookSecretOf(
  { webhookSecret }: ScheduleWish,
  targets: readonly ReportTarget[],
  { current }: Reading,
): string | undefined {
  if (targets.some(({ kind }) => kind === 'webhook')) return webhookSecret ?? current?.webhookSecret;
  if (webhookSecret === undefined) return undefined;
  throw new ValidationError(
    'webhook-secret',
    '--webhook-secret without a webhook target',
    'Add --to https://…, or leave it out.',
  );
}

function stateOf(
  { id, state }: ScheduleWish,
  targets: readonly ReportTarget[],
  { cwd, host, current }: Reading,
): Place {
  if (state !== undefined) return parsePlace(state, { cwd, host, field: 'state' });
  if (current !== undefined) return current.state;
  const folder = targets.find((target) => target.kind === 'place')?.folder;
  if (folder !== undefined) return placeWithin(folder, `${id}.state.json`);
  throw new ValidationError(
    'state',
    'the schedule needs a place for its state: how far each target was told',
    `Give --state s3://bucket/${id}.state.json or --state /var/lib/reports/${id}.state.json; with a target s3: or file: it lies there by itself.`,
  );
}
