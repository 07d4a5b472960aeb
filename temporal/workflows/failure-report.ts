import { CancellationScope, isCancellation, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { MediaServiceError } from '../../api/errors';
import { applicationFailureOf } from '../application-failure';
import type { FailureReading } from '../activities/reports/read-failure-report';
import type { WindowGroup } from '../schedules/plan-windows';
import { REPORT_INPUT_SCHEMA } from '../contract/failure-report';
import type {
  FailureReportInput,
  FailureReportResult,
  ReportFigures,
  ReportTarget,
  TargetResult,
} from '../contract/failure-report';
import { innermostFailureOf } from '../failure';
import { failedReport, reasonOf } from './failed-report';
import type { FailedTargets } from './failed-report';
import { reportSteps } from './report-steps';
import type { ReportSteps } from './report-steps';

/**
 * Makes and sends one scheduled report: asks the state what each target is due, reads the window, gives the report to every target on its own, and notes
 * each that arrived before anything else can send it again. A target that fails keeps no other from its report, fails the run, and is due the same again
 * next time; all targets are told once that the run failed.
 *
 * What bounds the history: two activities a target and one or two besides, twice where the run fails; retries add nothing.
 */
export async function failureReport(input: FailureReportInput): Promise<FailureReportResult> {
  refuseNewerSchema(input.schema);
  const { schedule, run } = input;
  const course: Course = { input, steps: reportSteps(input), results: [], figures: [], failures: [] };
  try {
    const plan = await course.steps.plan();
    course.results.push(...plan.nothingDue.map((target) => ({ target, outcome: 'nothingDue' }) as const));
    for (const group of plan.groups) await reportGroup(course, group);
  } catch (error) {
    if (isCancellation(error)) throw error;
    course.failures.push({ ...innermostFailureOf(error), targets: schedule.targets.map(({ key }) => key) });
  }
  inOrder(course);
  setCurrentDetails(detailsOf(course));
  if (course.failures.length > 0) {
    if (run.kind !== 'test') await alertTargets(course);
    const targets = schedule.targets.map(({ key }) => key);
    const { failures, results } = course;
    throw applicationFailureOf(
      failedReport({ schedule: schedule.id, isTest: run.kind === 'test', targets, failures, results }),
    );
  }
  return { schedule: schedule.id, kind: run.kind, targets: course.results, reports: course.figures };
}

interface Course {
  readonly input: FailureReportInput;
  readonly steps: ReportSteps;
  readonly results: TargetResult[];
  readonly figures: ReportFigures[];
  readonly failures: FailedTargets[];
}

async function reportGroup(course: Course, group: WindowGroup): Promise<void> {
  const { input, steps, figures, failures } = course;
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
    targets.map((target) => reportTarget(course, { group, reading, target, notes })),
  );
  const cancelled = ends.find((end) => end.status === 'rejected');
  if (cancelled?.status === 'rejected') throw cancelled.reason;
}

interface OneTarget {
  readonly group: WindowGroup;
  readonly reading: FailureReading;
  readonly target: ReportTarget;
  readonly notes: (note: () => Promise<void>) => Promise<void>;
}

/** Rejects with a cancellation alone. */
async function reportTarget(course: Course, { group, reading, target, notes }: OneTarget): Promise<void> {
  const { input, steps, results, failures } = course;
  const { schedule, run } = input;
  const { window, deliveredTo } = group;
  const { report, seen } = reading;
  const silent = run.kind === 'next' && schedule.whenNothing === 'silent' && isQuiet(reading);
  try {
    const reference = silent ? undefined : await steps.deliver({ target, report });
    const delivery = {
      target: target.key,
      window,
      seen,
      ...(deliveredTo === undefined ? {} : { deliveredTo }),
    };
    // What was sent is noted, also by a run that is being cancelled.
    if (run.kind === 'next')
      await CancellationScope.nonCancellable(() => notes(() => steps.note({ delivery })));
    results.push({
      target: target.key,
      window,
      ...(reference === undefined ? { outcome: 'silent' } : { outcome: 'delivered', reference }),
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    failures.push({ ...innermostFailureOf(error), targets: [target.key] });
  }
}

/** As the schedule names its targets, whoever came first. */
function inOrder({ input, results }: Course): void {
  const keys = input.schedule.targets.map(({ key }) => key);
  results.sort((a, b) => keys.indexOf(a.target) - keys.indexOf(b.target));
}

/** What is not known to be nothing is told. */
function isQuiet({ report: { totals, late, complete } }: FailureReading): boolean {
  return totals.failed === 0 && complete && late !== null && (late?.failed ?? 0) === 0;
}

/** The state is one file: two writers would undo each other's note. */
function oneByOne(): (note: () => Promise<void>) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return (note) => {
    const mine = last.then(note);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** One message each; a target that cannot be told either has been tried. */
async function alertTargets({ input, steps, results, failures }: Course): Promise<void> {
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

function sentenceOf(failure: FailedTargets): string {
  return `${failure.targets.join(', ')}: ${reasonOf(failure)}`;
}

function figuresOf({ report }: FailureReading): ReportFigures {
  const { from, to, totals, late, recordsRead, complete, notices } = report;
  const { total, failed } = totals;
  return { from, to, total, failed, late: late?.failed ?? null, recordsRead, complete, notices };
}

function detailsOf({ figures, results, failures }: Course): string {
  const lines = [
    ...figures.map(
      ({ from, to, total, failed }) => `**${from} to ${to}**: ${String(failed)} of ${String(total)} failed`,
    ),
    ...results.map(({ target, outcome }) => `- ${target}: ${outcome}`),
    ...failures.map((failure) => `- **not delivered** ${sentenceOf(failure)}`),
  ];
  return lines.join('\n\n');
}

/** A failed workflow task is tried again until a newer worker takes it; a failed workflow would be lost. */
function refuseNewerSchema(schema: number): void {
  if (schema <= REPORT_INPUT_SCHEMA) return;
  throw new MediaServiceError(
    'InputTooNew',
    `The report was scheduled with input schema ${String(schema)}, this worker knows ${String(REPORT_INPUT_SCHEMA)}: update the workers.`,
  );
}
