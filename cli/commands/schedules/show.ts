import type { Command } from 'commander';
import { DateTime } from 'luxon';
import { showSchedule } from '../../../temporal/reports/client/run-report';
import type { LastRun, RunOutcome, ShownSchedule } from '../../../temporal/reports/client/run-report';
import { given } from '../../../api/json';
import { withAccount, addHelp } from '../../context';
import type { CliContext } from '../../context';
import { shown, shownError, waitReasonLines } from '../../errors/what-to-do';
import type { FailureReportResult } from '../../../temporal/reports/types';
import type { ScheduleView } from '../../../temporal/reports/client/describe-schedule';
import { periodText } from '../../../reports/words/report-words';
import { MINUTE_MS } from '../../../api/clock';
import { redact } from '../../../api/answers/redact';
import { plainLine } from '../../output/plain-text';

export function addSchedulesShow(schedules: Command, context: CliContext): void {
  const command = schedules
    .command('show')
    .description('Show a schedule: times, targets, state, last runs.')
    .argument('<id>', 'as `schedules list` shows it');
  addHelp(
    command,
    'Prints times, targets, and the last five runs with their errors; with --json one object. Secrets are shown by name, webhook URLs as host and digest.',
    [
      'media-service schedules show morning',
      'media-service schedules show morning --json | jq -r .lastRun.error.message',
    ],
  ).action(async (id: string) => {
    const shown = await withAccount(context, ({ connection, accountId }) =>
      showSchedule(connection, { accountId, id }),
    );
    const { note, runs, skipped, missed, lastRuns, running } = shown;
    const { schedule } = shown.input;
    const targets = schedule.targets.map(({ key }) => key);
    const json = { note, runs, skipped, missed, lastRuns: lastRuns.map(shownRun), running };
    return context.terminal.answer(
      { ...scheduleJson(shown), settings: { ...schedule, targets }, ...json },
      scheduleText(shown),
    );
  });
}

/** One line: name, times, next run. */
export function scheduleSummaryText({ id, paused, nextTimes, input }: ScheduleView): string {
  const { times, zone } = input.schedule;
  const [next] = nextTimes;
  const when = paused ? 'paused' : next === undefined ? 'never again' : `next ${zonedTime(next, zone)}`;
  return plainLine(`${id}: ${times} (${zone}), ${when}`);
}

/** Returns what a run did, one line for each target. Periods are in the zone of the schedule. */
export function reportResultText({ targets, reports }: FailureReportResult, zone: string): string {
  const lines = [
    ...reports.map(
      ({ total, failed, complete, ...period }) =>
        `${periodText(period, zone)} (${zone}): ${failed} of ${total} deliveries failed${complete ? '' : ' (incomplete)'}`,
    ),
    ...new Set(reports.flatMap(({ notices = [] }) => notices)),
    ...targets.map(({ target, outcome, reference = '' }) => {
      const how = `delivered (${reference})`;
      return `${target}: ${outcome === 'delivered' ? how : 'nothing is due, all up to now was delivered'}`;
    }),
  ];
  return lines.map((line) => `${plainLine(line)}\n`).join('');
}

/** Returns everything important about a schedule. */
export function scheduleText(schedule: ShownSchedule): string {
  const { input, lastRuns, nextTimes, note, runs, skipped, missed, paused } = schedule;
  const { mail, webhookSecret, targets, zone } = input.schedule;
  const next = nextTimes.slice(0, 3).map((time) => localTime(time, zone));
  const secrets = [mail?.smtpSecret, webhookSecret].filter((name) => name !== undefined);
  const lines = [
    scheduleSummaryText(schedule),
    ...targets.map(({ key }) => `  to ${key}`),
    ...(secrets.length === 0 ? [] : [`  secrets, by name: ${secrets.join(', ')}`]),
    ...(paused && note !== undefined ? [`  note: ${note}`] : []),
    ...(paused ? [] : [`  next: ${next.length === 0 ? 'never' : `${next.join(', ')} (${zone})`}`]),
    `  runs: ${runs}, skipped because one was running: ${skipped}, missed in an outage: ${missed}`,
    ...lastRuns
      .slice(-5)
      .flatMap((run) => [`  ${runText(run, zonedTime(run.at, zone))} ${run.workflowId}`, ...errorLines(run)]),
  ];
  return lines.map((line) => `${/^ */.exec(line)?.[0] ?? ''}${plainLine(line)}\n`).join('');
}

/** Returns when the last run began, in the zone of its schedule, and its status. */
export function lastRunText({ lastRuns, input }: ShownSchedule): string {
  const run = lastRuns.at(-1);
  return run === undefined ? 'none' : runText(run, localTime(run.at, input.schedule.zone));
}

/** Returns the next firing, in the zone of the schedule. */
export function nextRunText({ paused, nextTimes: [next], input }: ScheduleView): string {
  if (paused) return 'paused';
  return next === undefined ? 'never' : localTime(next, input.schedule.zone);
}

function runText({ status }: LastRun, at: string): string {
  return `${status === 'running' ? 'running since' : status === 'failed' ? 'FAILED' : status} ${at}`;
}

function errorLines({ error, waitReason }: RunOutcome): string[] {
  if (error === undefined) return waitReasonLines(waitReason).map((line) => `    ${line}`);
  const { message, hint } = shownError(error);
  return [
    ...redact(message)
      .split('\n')
      .map((line) => `    ${line}`),
    ...(hint === undefined ? [] : [`    What to do: ${redact(hint)}`]),
  ];
}

/** Returns a schedule for JSON output: names of secrets, no sealed addresses. */
export function scheduleJson(view: ScheduleView): object {
  const { id, scheduleId, accountId, paused, nextTimes, lastRuns, input } = view;
  const { times, zone, targets } = input.schedule;
  const lastRun = lastRuns.at(-1);
  return {
    id,
    scheduleId,
    accountId,
    times,
    zone,
    targets: targets.map(({ key }) => key),
    paused,
    nextTimes,
    lastRun: lastRun && shownRun(lastRun),
  };
}

/** Returns a run with the advice for its error as text. */
function shownRun({ error, waitReason, ...run }: Pick<LastRun, 'workflowId'> & Partial<RunOutcome>): object {
  return { ...run, ...given({ waitReason: shown(waitReason), error: error && shownError(error) }) };
}

/** `2026-11-26 07:00`. */
function localTime(time: Date, zone: string): string {
  const format = time.getTime() % MINUTE_MS === 0 ? 'yyyy-MM-dd HH:mm' : 'yyyy-MM-dd HH:mm:ss';
  return DateTime.fromJSDate(time, { zone }).toFormat(format);
}

function zonedTime(time: Date, zone: string): string {
  return `${localTime(time, zone)} (${zone})`;
}
