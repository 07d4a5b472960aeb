import { TemporalFailure } from '@temporalio/common';
import {
  ActivityCancellationType,
  isCancellation,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import { controlQueue, transferQueue } from '../upload/types';
import type { WorkerActivities } from '../worker/create-worker';
import { applicationFailureOf } from '../application-failure';
import { deliveredOf, handedOn } from './types';
import type {
  FailureReportInput,
  FailureReportResult,
  HandedOn,
  ReportFigures,
  ReportSchedule,
  ReportTarget,
  TargetResult,
} from './types';
import { innermostFailureOf } from '../failure';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../api/clock';
import { adviceText } from '../../api/advice';
import { MediaServiceError } from '../../api/errors';
import type { StepFailure } from '../../api/upload/types';
import { hostOfSource } from '../../api/upload/sources/source-rules';
import type { Period } from '../../reports/period/period';
import type { DeliveryReport } from '../../reports/report';

/** Long, because an abandoned try that is about to send could send at the same time as its successor. */
const HEARTBEAT_MS = 30 * SECOND_MS;

/** How long the service and a target are retried. */
const LIMIT_MS = HOUR_MS;

const RETRY_SLOWLY = {
  initialInterval: 2 * SECOND_MS,
  backoffCoefficient: 2,
  maximumInterval: 5 * MINUTE_MS,
};

/**
 * Makes and sends one scheduled report. The end of the schedule's last run says what each target has received. It reads
 * the deliveries of the period, sends the report to each target separately, and hands on what arrived. A failed target
 * does not affect other targets, but fails the run and is due again next time.
 *
 * Bounds of the history: one activity per target and one or two more. Retries add nothing.
 */
export async function failureReport(input: FailureReportInput): Promise<FailureReportResult & HandedOn> {
  const { schedule } = input;
  const keys = schedule.targets.map(({ key }) => key);
  const { lastFailure, lastResult } = workflowInfo();
  const delivered = deliveredOf([lastFailure, lastResult]);
  const context: RunContext = {
    ...{ input, keys, of: { accountId: input.account.accountId, schedule }, delivered },
    ...{ results: [], figures: [], failures: [] },
  };
  const { results, figures, failures } = context;
  try {
    for (const group of await planGroups(context)) await reportGroup(context, group);
  } catch (error) {
    // An unknown error fails only the workflow task, so that a corrected worker continues the run.
    if (!(error instanceof TemporalFailure)) throw error;
    failures.push(
      isCancellation(error) ? cancelledTargets(context) : { ...innermostFailureOf(error), targets: keys },
    );
  }
  results.sort((one, other) => keys.indexOf(one.target) - keys.indexOf(other.target));
  const next = handedOn(keys, delivered);
  if (failures.length === 0) return { schedule: schedule.id, targets: results, reports: figures, ...next };
  const failure = failedReport({ schedule: schedule.id, targets: keys, failures, results });
  throw applicationFailureOf(failure, { more: [next] });
}

type ReportActivities = Pick<WorkerActivities, 'planFailureReport' | 'readFailureReport' | 'deliverReport'>;

/**
 * The steps of a report. They run on the machine that has the target's folder, otherwise on any worker of the account.
 * A cancelled run waits for its step, because it must know what was sent.
 */
function stepsOf({ account, queuePrefix, schedule }: FailureReportInput, target?: ReportTarget) {
  const { accountId } = account;
  const host = target?.kind === 'folder' ? hostOfSource(target.folder) : undefined;
  return proxyActivities<ReportActivities>({
    taskQueue:
      host === undefined ? controlQueue(queuePrefix, accountId) : transferQueue(queuePrefix, accountId, host),
    startToCloseTimeout: 10 * MINUTE_MS,
    scheduleToCloseTimeout: LIMIT_MS,
    heartbeatTimeout: schedule.heartbeatMs ?? HEARTBEAT_MS,
    retry: RETRY_SLOWLY,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
}

interface RunContext {
  readonly input: FailureReportInput;
  /** Keys of the schedule's targets. */
  readonly keys: readonly string[];
  /** What every step needs. */
  readonly of: { readonly accountId: string; readonly schedule: ReportSchedule };
  /** Ends of periods by target. A target moves forward when it has received its report. */
  readonly delivered: Map<string, string>;
  readonly results: TargetResult[];
  readonly figures: ReportFigures[];
  readonly failures: FailedTargets[];
}

/** A cancelled run fails, because Temporal would drop what it hands on. */
function cancelledTargets({ keys, results, failures }: RunContext): FailedTargets {
  const known = [...results.map(({ target }) => target), ...failures.flatMap(({ targets }) => targets)];
  const targets = keys.filter((key) => !known.includes(key));
  return { code: 'Cancelled', message: 'the run was cancelled in Temporal', facts: {}, targets };
}

/** Targets at the same point, which get the same report. */
interface DueGroup {
  readonly targets: readonly string[];
  readonly period: Period;
  /** No earlier report to these targets is known. */
  readonly isFirst: boolean;
}

async function planGroups({ input, keys, of, delivered, results }: RunContext): Promise<DueGroup[]> {
  const ends = [...new Set(keys.map((key) => delivered.get(key) ?? null))];
  const groups = ends.map((end) => keys.filter((key) => (delivered.get(key) ?? null) === end));
  const periods = await stepsOf(input).planFailureReport({ ...of, delivered: ends });
  return groups.flatMap((targets, index) => {
    const period = periods[index] ?? null;
    if (period === null) {
      results.push(...targets.map((target) => ({ target, outcome: 'nothingDue' }) as const));
      return [];
    }
    // From now on nothing after the start is left out, even if the first report fails.
    for (const target of targets) delivered.set(target, delivered.get(target) ?? period.from);
    return [{ targets, period, isFirst: ends[index] === null }];
  });
}

async function reportGroup(context: RunContext, { targets, period, isFirst }: DueGroup): Promise<void> {
  const { input, of, delivered, results, figures, failures } = context;
  let report: DeliveryReport;
  try {
    report = await stepsOf(input).readFailureReport({ ...of, period, isFirst });
  } catch (error) {
    if (isCancellation(error)) throw error;
    failures.push({ ...innermostFailureOf(error), targets });
    return;
  }
  figures.push(figuresOf(report));
  /** Rejects only with a cancellation. */
  const reportTarget = async (target: ReportTarget): Promise<void> => {
    const { key } = target;
    try {
      const reference = await stepsOf(input, target).deliverReport({ ...of, target, report });
      delivered.set(key, period.to);
      results.push({ target: key, period, outcome: 'delivered', reference });
    } catch (error) {
      if (isCancellation(error)) throw error;
      failures.push({ ...innermostFailureOf(error), targets: [key] });
    }
  };
  const reached = input.schedule.targets.filter(({ key }) => targets.includes(key));
  const ends = await Promise.allSettled(reached.map(reportTarget));
  const cancelled = ends.find((end) => end.status === 'rejected');
  if (cancelled?.status === 'rejected') throw cancelled.reason;
}

function figuresOf({ from, to, totals, recordsRead, complete, notices }: DeliveryReport): ReportFigures {
  const { total, failed } = totals;
  return { from, to, total, failed, recordsRead, complete, notices };
}

/** Why some targets received nothing. */
type FailedTargets = StepFailure & { readonly targets: readonly string[] };

interface FailedReport {
  readonly schedule: string;
  readonly targets: readonly string[];
  readonly failures: readonly FailedTargets[];
  readonly results: readonly TargetResult[];
}

/**
 * The error of a failed run. It has a line for each target, delivered or not, with what to do. Pure. Uses the first
 * failure's code, and its hint if all failures share it.
 */
export function failedReport({ schedule, targets, failures, results }: FailedReport): MediaServiceError {
  const [first] = failures;
  const lines = targets.flatMap((target) => [
    ...failures
      .filter((failure) => failure.targets.includes(target))
      .map((failure) => `${target}: ${reasonOf(failure)}`),
    ...results
      .filter((result) => result.target === target)
      .map(({ outcome }) => `${target}: ${OUTCOMES[outcome]}`),
  ]);
  const { serviceMessage: _said, hint, ...facts } = first?.facts ?? {};
  const isShared = new Set(failures.map((failure) => adviceText(failure.facts))).size === 1;
  const todo = isShared ? hint : "Each target's line says what to do.";
  return new MediaServiceError(
    first?.code ?? 'Internal',
    [`The report "${schedule}" failed.`, ...lines.map((line) => `  ${line}`)].join('\n'),
    {
      ...facts,
      hint: [todo, 'The next run delivers what is missing.'].filter(Boolean).join(' '),
      details: {
        schedule,
        targetsReached: results.filter(({ outcome }) => outcome === 'delivered').length,
        targetsFailed: failures.length,
      },
    },
  );
}

/** What failed and what to do about it, in one line. */
function reasonOf({ message, facts }: FailedTargets): string {
  const todo = adviceText(facts);
  return `${message.replace(/\.$/, '')}.${todo === undefined ? '' : ` ${todo}`}`;
}

const OUTCOMES: Readonly<Record<TargetResult['outcome'], string>> = {
  delivered: 'delivered',
  nothingDue: 'nothing is due',
};
