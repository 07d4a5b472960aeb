import { CancellationScope, isCancellation, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { applicationFailureOf } from '../application-failure';
import type { FailureReading } from '../activities/reports/read-failure-report';
import type { PeriodGroup } from '../schedules/plan-periods';
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
 * Makes and sends one scheduled report. It reads from the state what each target is due, and reads the deliveries of
 * the period. It sends the report to each target separately, and notes each delivery before another run can repeat it.
 * A failed target does not affect other targets, but fails the run and is due again next time. If the run fails, it
 * notifies all targets once.
 *
 * Bounds of the history: two activities per target and one or two more, twice that if the run fails. Retries add
 * nothing.
 */
export async function failureReport(input: FailureReportInput): Promise<FailureReportResult> {
  refuseNewerSchema('The report was scheduled', input.schema, REPORT_INPUT_SCHEMA);
  const { schedule, run } = input;
  const context: RunContext = { input, steps: reportSteps(input), results: [], figures: [], failures: [] };
  try {
    const plan = await context.steps.plan();
    context.results.push(...plan.nothingDue.map((target) => ({ target, outcome: 'nothingDue' }) as const));
    for (const group of plan.groups) await reportGroup(context, group);
  } catch (error) {
    if (isCancellation(error)) throw error;
    context.failures.push({ ...innermostFailureOf(error), targets: schedule.targets.map(({ key }) => key) });
  }
  sortByTarget(context);
  setCurrentDetails(reportDetails(schedule.zone, context));
  if (context.failures.length > 0) {
    if (run.kind !== 'test') await alertTargets(context);
    const targets = schedule.targets.map(({ key }) => key);
    const { failures, results } = context;
    throw applicationFailureOf(
      failedReport({ schedule: schedule.id, isTest: run.kind === 'test', targets, failures, results }),
    );
  }
  return { schedule: schedule.id, kind: run.kind, targets: context.results, reports: context.figures };
}

interface RunContext {
  readonly input: FailureReportInput;
  readonly steps: ReportSteps;
  readonly results: TargetResult[];
  readonly figures: ReportFigures[];
  readonly failures: FailedTargets[];
}

async function reportGroup(context: RunContext, group: PeriodGroup): Promise<void> {
  const { input, steps, figures, failures } = context;
  const targets = input.schedule.targets.filter(({ key }) => group.targets.includes(key));
  let reading: FailureReading;
  try {
    reading = await steps.read({ group });
  } catch (error) {
    if (isCancellation(error)) throw error;
    failures.push({ ...innermostFailureOf(error), targets: group.targets });
    return;
  }
  figures.push(figuresOf(reading));
  const notes = oneByOne();
  const ends = await Promise.allSettled(
    targets.map((target) => reportTarget(context, { group, reading, target, notes })),
  );
  const cancelled = ends.find((end) => end.status === 'rejected');
  if (cancelled?.status === 'rejected') throw cancelled.reason;
}

interface OneTarget {
  readonly group: PeriodGroup;
  readonly reading: FailureReading;
  readonly target: ReportTarget;
  readonly notes: (note: () => Promise<void>) => Promise<void>;
}

/** Rejects only with a cancellation. */
async function reportTarget(
  context: RunContext,
  { group, reading, target, notes }: OneTarget,
): Promise<void> {
  const { input, steps, results, failures } = context;
  const { schedule, run } = input;
  const { period, deliveredTo } = group;
  const { report, seen } = reading;
  const skip = run.kind === 'next' && schedule.onEmpty === 'skip' && isQuiet(reading);
  try {
    const reference = skip ? undefined : await steps.deliver({ target, report });
    const delivery = {
      target: target.key,
      period,
      seen,
      ...(deliveredTo === undefined ? {} : { deliveredTo }),
    };
    // A sent report must be noted, even if the run is being cancelled.
    if (run.kind === 'next')
      await CancellationScope.nonCancellable(() => notes(() => steps.note({ delivery })));
    results.push({
      target: target.key,
      period,
      ...(reference === undefined ? { outcome: 'skipped' } : { outcome: 'delivered', reference }),
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    failures.push({ ...innermostFailureOf(error), targets: [target.key] });
  }
}

/** Sorts the results in the order of the schedule's targets. */
function sortByTarget({ input, results }: RunContext): void {
  const keys = input.schedule.targets.map(({ key }) => key);
  results.sort((a, b) => keys.indexOf(a.target) - keys.indexOf(b.target));
}

/** If it is unknown whether anything failed, the report is sent. */
function isQuiet({ report: { totals, late, complete } }: FailureReading): boolean {
  return totals.failed === 0 && complete && late !== null && (late?.failed ?? 0) === 0;
}

/** The state is one file, so two writers would undo each other's note. */
function oneByOne(): (note: () => Promise<void>) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return (note) => {
    const mine = last.then(note);
    // The caller gets the failure. The next note is still written.
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Sends one message to each target. Ignores messages that could not be sent. */
async function alertTargets({ input, steps, results, failures }: RunContext): Promise<void> {
  const { schedule } = input;
  const { workflowId, runStartTime } = alertFacts();
  const failure = {
    schedule: schedule.id,
    accountId: input.account.accountId,
    at: runStartTime,
    reasons: failures.map(sentenceOf),
    reached: results.filter(({ outcome }) => outcome === 'delivered').map(({ target }) => target),
    workflowId,
  };
  await Promise.allSettled(schedule.targets.map((target) => steps.alert({ target, failure })));
}

function alertFacts(): { workflowId: string; runStartTime: string } {
  const { workflowId, runStartTime } = workflowInfo();
  return { workflowId, runStartTime: runStartTime.toISOString() };
}

function figuresOf({ report }: FailureReading): ReportFigures {
  const { from, to, totals, late, recordsRead, complete, notices } = report;
  const { total, failed } = totals;
  return { from, to, total, failed, late: late?.failed ?? null, recordsRead, complete, notices };
}
