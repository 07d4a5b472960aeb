import { TemporalFailure } from '@temporalio/common';
import { isCancellation, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { applicationFailureOf } from '../application-failure';
import type { FailureReading } from '../activities/reports/read-failure-report';
import { cursorsOf, groupTargets, handedOn } from '../contract/report-state';
import type { Cursors, HandedOn, TargetGroup } from '../contract/report-state';
import { REPORT_INPUT_SCHEMA } from '../contract/failure-report';
import type {
  FailureReportInput,
  FailureReportResult,
  ReportFigures,
  ReportTarget,
  TargetResult,
} from '../contract/failure-report';
import { innermostFailureOf } from '../failure';
import { failedReport, sentenceOf } from './failed-report';
import type { FailedTargets } from './failed-report';
import { refuseNewerSchema } from './refuse-newer-schema';
import { reportDetails } from './report-details';
import { reportSteps } from './report-steps';
import type { ReportSteps } from './report-steps';

/**
 * Makes and sends one scheduled report. The end of the schedule's last run says what each target has received. It reads
 * the deliveries of the period, sends the report to each target separately, and hands on what arrived. A failed target
 * does not affect other targets, but fails the run and is due again next time. If the run fails, it notifies all
 * targets once.
 *
 * Bounds of the history: one activity per target and one or two more, twice that if the run fails. Retries add nothing.
 */
export async function failureReport(input: FailureReportInput): Promise<FailureReportResult & HandedOn> {
  refuseNewerSchema('The report was scheduled', input.schema, REPORT_INPUT_SCHEMA);
  const { schedule } = input;
  const keys = schedule.targets.map(({ key }) => key);
  const { lastFailure, lastResult } = workflowInfo();
  const cursors = cursorsOf([lastFailure, lastResult]);
  const context: RunContext = {
    ...{ input, keys, steps: reportSteps(input), cursors },
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
  setCurrentDetails(reportDetails(schedule.zone, context));
  const next = handedOn(keys, cursors);
  if (failures.length === 0) return { schedule: schedule.id, targets: results, reports: figures, ...next };
  await alertTargets(context);
  const failure = failedReport({ schedule: schedule.id, targets: keys, failures, results });
  throw applicationFailureOf(failure, { more: [next] });
}

interface RunContext {
  readonly input: FailureReportInput;
  /** Keys of the schedule's targets. */
  readonly keys: readonly string[];
  readonly steps: ReportSteps;
  /** A target moves forward when it has received its report. */
  readonly cursors: Cursors;
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

interface DueGroup extends Required<TargetGroup> {
  readonly period: NonNullable<TargetResult['period']>;
}

async function planGroups({ keys, steps, cursors, results }: RunContext): Promise<DueGroup[]> {
  const groups = groupTargets(keys, cursors);
  const periods = await steps.plan({ delivered: groups.map(({ cursor }) => cursor?.deliveredTo ?? null) });
  return groups.flatMap(({ targets, cursor }, index) => {
    const period = periods[index] ?? null;
    if (period === null) {
      results.push(...targets.map((target) => ({ target, outcome: 'nothingDue' }) as const));
      return [];
    }
    // From now on nothing after the start is left out, even if the first report fails.
    const begun = cursor ?? { since: period.from, deliveredTo: period.from, seen: [] };
    for (const target of targets) cursors.set(target, begun);
    return [{ targets, period, cursor: begun }];
  });
}

async function reportGroup(context: RunContext, group: DueGroup): Promise<void> {
  const { input, steps, cursors, results, figures, failures } = context;
  const { schedule } = input;
  const { period, cursor } = group;
  let reading: FailureReading;
  try {
    reading = await steps.read({ period, cursor });
  } catch (error) {
    if (isCancellation(error)) throw error;
    failures.push({ ...innermostFailureOf(error), targets: group.targets });
    return;
  }
  figures.push(figuresOf(reading));
  const { report } = reading;
  /** Rejects only with a cancellation. */
  const reportTarget = async (target: ReportTarget): Promise<void> => {
    const { key } = target;
    try {
      const reference = await steps.deliver({ target, report });
      cursors.set(key, reading.cursor);
      results.push({ target: key, period, outcome: 'delivered', reference });
    } catch (error) {
      if (isCancellation(error)) throw error;
      failures.push({ ...innermostFailureOf(error), targets: [key] });
    }
  };
  const targets = schedule.targets.filter(({ key }) => group.targets.includes(key));
  const ends = await Promise.allSettled(targets.map(reportTarget));
  const cancelled = ends.find((end) => end.status === 'rejected');
  if (cancelled?.status === 'rejected') throw cancelled.reason;
}

/** Sends one message to each target. Ignores messages that could not be sent. */
async function alertTargets({ input, steps, results, failures }: RunContext): Promise<void> {
  const { schedule } = input;
  const { workflowId, runStartTime } = workflowInfo();
  const failure = {
    schedule: schedule.id,
    accountId: input.account.accountId,
    at: runStartTime.toISOString(),
    reasons: failures.map(sentenceOf),
    reached: results.filter(({ outcome }) => outcome === 'delivered').map(({ target }) => target),
    workflowId,
  };
  await Promise.allSettled(schedule.targets.map((target) => steps.alert({ target, failure })));
}

function figuresOf({ report }: FailureReading): ReportFigures {
  const { from, to, totals, late, recordsRead, complete, notices } = report;
  const { total, failed } = totals;
  return { from, to, total, failed, late: late?.failed ?? null, recordsRead, complete, notices };
}
