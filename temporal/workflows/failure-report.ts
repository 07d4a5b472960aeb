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
  const { schedule, run } = input;
  const keys = schedule.targets.map(({ key }) => key);
  const { lastFailure, lastResult } = workflowInfo();
  const ends = run.kind === 'next' ? [lastFailure, lastResult] : [];
  const cursors = cursorsOf(ends);
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
    if (!isCancellation(error)) failures.push({ ...innermostFailureOf(error), targets: keys });
    else if (run.kind === 'next') failures.push(cancelledTargets(context));
    else throw error;
  }
  results.sort((one, other) => keys.indexOf(one.target) - keys.indexOf(other.target));
  setCurrentDetails(reportDetails(schedule.zone, context));
  const next = handedOn(keys, cursors);
  if (failures.length === 0)
    return { schedule: schedule.id, kind: run.kind, targets: results, reports: figures, ...next };
  const isTest = run.kind === 'test';
  if (!isTest) await alertTargets(context);
  const failure = failedReport({ schedule: schedule.id, isTest, targets: keys, failures, results });
  throw applicationFailureOf(failure, { more: [next] });
}

interface RunContext {
  readonly input: FailureReportInput;
  /** Keys of the schedule's targets. */
  readonly keys: readonly string[];
  readonly steps: ReportSteps;
  /** Of regular runs; a target moves forward when it has received its report. */
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

interface DueGroup extends TargetGroup {
  readonly period: NonNullable<TargetResult['period']>;
}

async function planGroups({ input, keys, steps, cursors, results }: RunContext): Promise<DueGroup[]> {
  const { run } = input;
  const groups = groupTargets(keys, cursors);
  const periods =
    run.kind === 'backfill'
      ? groups.map(() => run.period)
      : await steps.plan({ delivered: groups.map(({ cursor }) => cursor?.deliveredTo ?? null) });
  return groups.flatMap(({ targets, cursor }, index) => {
    const period = periods[index] ?? null;
    if (period === null) {
      results.push(...targets.map((target) => ({ target, outcome: 'nothingDue' }) as const));
      return [];
    }
    if (run.kind !== 'next') return [{ targets, period }];
    // From now on nothing after the start is left out, even if the first report fails.
    const begun = cursor ?? { since: period.from, deliveredTo: period.from, seen: [] };
    for (const target of targets) cursors.set(target, begun);
    return [{ targets, period, cursor: begun }];
  });
}

async function reportGroup(context: RunContext, group: DueGroup): Promise<void> {
  const { input, steps, cursors, results, figures, failures } = context;
  const { schedule, run } = input;
  const { period, cursor } = group;
  let reading: FailureReading;
  try {
    reading = await steps.read({ period, ...(cursor === undefined ? {} : { cursor }) });
  } catch (error) {
    if (isCancellation(error)) throw error;
    failures.push({ ...innermostFailureOf(error), targets: group.targets });
    return;
  }
  figures.push(figuresOf(reading));
  const { report } = reading;
  const isSkipped = run.kind === 'next' && schedule.onEmpty === 'skip' && isQuiet(reading);
  /** Rejects only with a cancellation. */
  const reportTarget = async (target: ReportTarget): Promise<void> => {
    const { key } = target;
    try {
      const reference = isSkipped ? undefined : await steps.deliver({ target, report });
      if (run.kind === 'next') cursors.set(key, reading.cursor);
      results.push({
        target: key,
        period,
        ...(reference === undefined ? { outcome: 'skipped' } : { outcome: 'delivered', reference }),
      });
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

/** If it is unknown whether anything failed, the report is sent. */
function isQuiet({ report: { totals, late, complete } }: FailureReading): boolean {
  return totals.failed === 0 && complete && late !== null && (late?.failed ?? 0) === 0;
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
