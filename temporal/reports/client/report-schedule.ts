import { given } from '../../../api/json';
import { ValidationError, wrongField } from '../../../api/errors';
import { digestsOf } from '../../upload/client/input-digest';
import type { MailSettings, ReportSchedule, ReportScope, ReportTarget, TimingRequest } from '../types';
import { checkMailAddress, parseTargets } from './parse-targets';
import type { TargetReading } from './parse-targets';
import { checkZone, timingOf } from './timing';
import type { Timing } from './timing';
import { adviceOf } from '../../../api/advice';

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

export interface CheckedSchedule {
  readonly schedule: ReportSchedule;
  readonly timing: Timing;
}

interface ScheduleCheck {
  /** Epoch ms. */
  readonly now: number;
  /** Mistakes that were found before this check. */
  readonly mistakes?: RequestMistakes;
}

type Reading = TargetReading & Pick<ScheduleCheck, 'now'>;

/**
 * The complete schedule. Has no side effects, except that it loads the cron library. Throws one `ValidationError` that
 * names every wrong flag.
 */
export async function checkSchedule(
  request: ScheduleRequest,
  paths: TargetReading,
  { now, mistakes = new RequestMistakes() }: ScheduleCheck,
): Promise<CheckedSchedule> {
  const reading = { ...paths, now };
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
  mistakes.attempt(() => checkScheduleId(request.id));
  const zone = mistakes.attempt(() => checkZone(request.zone ?? 'UTC'));
  await timingOf(request.timing, zone ?? 'UTC', reading.now).catch((error: unknown) => mistakes.keep(error));
  const each = request.targets.map((text) => mistakes.attempt(() => parseTargets([text], reading)));
  if (each.includes(undefined)) return;
  const targets = mistakes.attempt(() => parseTargets(request.targets, reading));
  if (targets === undefined) return;
  mistakes.attempt(() => mailOf(request, targets));
  mistakes.attempt(() => webhookSecretOf(request, targets));
}

async function readRequest(request: ScheduleRequest, reading: Reading): Promise<CheckedSchedule> {
  const id = checkScheduleId(request.id);
  const zone = checkZone(request.zone ?? 'UTC');
  const timing = await timingOf(request.timing, zone, reading.now);
  const targets = parseTargets(request.targets, reading);
  const mail = mailOf(request, targets);
  const webhookSecret = webhookSecretOf(request, targets);
  const { heartbeatMs, scope = {} } = request;
  return {
    timing,
    schedule: {
      id,
      zone,
      timing: request.timing,
      times: timing.words,
      interval: timing.interval,
      scope,
      targets,
      ...given({ mail, webhookSecret, heartbeatMs }),
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
  const { times, zone, targets, mail, webhookSecret, scope } = schedule;
  return digestsOf(
    Object.entries({
      times,
      timezone: zone,
      targets: targets.map(({ key }) => key).sort(),
      mail: mail ?? null,
      'webhook-secret': webhookSecret ?? null,
      scope,
    }),
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

/** Collects the mistakes in a request, so that one error names all of them. */
export class RequestMistakes {
  readonly #found: ValidationError[] = [];

  /**
   * Returns the result of the check. If the check throws a `ValidationError`, keeps the error and returns undefined.
   */
  attempt<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      this.keep(error);
      return undefined;
    }
  }

  /** Keeps a `ValidationError`, throws anything else. */
  keep(error: unknown): void {
    if (!(error instanceof ValidationError)) throw error;
    this.#found.push(error);
  }

  /**
   * Throws a single mistake unchanged. For several mistakes, throws one error on the field of the first; its fact
   * `mistakes` contains all.
   */
  refuse(): void {
    const [first, ...others] = this.#found;
    if (first === undefined) return;
    if (others.length === 0) throw first;
    const mistakes = this.#found.map(({ message, facts }) => {
      const { field = '', problem } = facts;
      return { field, message, ...(problem === undefined ? {} : { problem }), ...adviceOf(facts) };
    });
    const lines = mistakes.map(({ field, message, problem }) =>
      problem === undefined ? `${field}: ${message}` : message,
    );
    throw new ValidationError(
      first.facts.field ?? '',
      [`${String(lines.length)} settings are wrong:`, ...lines].join('\n  '),
      { mistakes },
    );
  }
}
