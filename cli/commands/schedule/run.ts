import type { Command } from 'commander';
import { accountIdOf, readSettings, type Settings } from '../../../settings/settings';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { backfillSchedule, runSchedule, testSchedule } from '../../../temporal/schedules/run-report';
import type { ReportRunHandle } from '../../../temporal/schedules/run-report';
import { withTemporal, type CliContext } from '../../context';
import { addHelp, type CommandHelp } from '../../command-help';
import { waitForReport } from '../../schedules/wait-for-report';
import { reportResultText } from '../../text/schedule-text';
import { warnWithoutWorker } from '../../warn-without-worker';

interface RunFlags {
  readonly wait: boolean;
  readonly json?: boolean;
}

const RESULT =
  'The number of deliveries, and one line per target. --json: {"workflowId","joined","schedule","kind",' +
  '"targets":[{"target","outcome","period","reference"}],"reports":[{"from","to","total","failed","late","recordsRead","complete"}]}.\n' +
  'If a target can\'t be reached, the command fails. --no-wait: {"workflowId","joined"}. If no worker is running, the run starts with a warning and waits for one.';
const EXITS = [
  'CONFIGURATION',
  'NOT_AUTHORIZED',
  'SERVICE',
  'NETWORK',
  'TEMPORAL',
  'SOURCE',
  'OUTPUT',
] as const;

/** `schedule run`, `schedule backfill` and `schedule test`: the three ways to get a report now. */
export function addScheduleRuns(schedule: Command, context: CliContext): void {
  const run = schedule
    .command('run')
    .description('Send the report that is due now. What was delivered is not sent again.')
    .argument('<id>', 'as `schedule list` shows it');
  withWait(run, [
    { says: 'Without waiting for the next time', run: 'media-service schedule run morning' },
    {
      says: 'Was anything sent?',
      run: "media-service schedule run morning --json | jq -r '.targets[].outcome'",
    },
  ]).action((id: string, flags: RunFlags) =>
    show(context, flags, (connection, settings) =>
      runSchedule(connection, { accountId: accountIdOf(settings), id }, context.interrupts.first),
    ),
  );
  const backfill = schedule
    .command('backfill')
    .description('Send the report of a period again, marked BACKFILL. It does not change what is due.')
    .argument('<id>', 'as `schedule list` shows it')
    .requiredOption(
      '--from <when>',
      "start: 2026-11-01, -7d, or an ISO time; days are in the schedule's time zone",
    )
    .requiredOption('--to <when>', 'end, exclusive');
  withWait(backfill, [
    { says: 'One day', run: 'media-service schedule backfill morning --from 2026-11-01 --to 2026-11-02' },
    {
      says: 'Each day of a week',
      run: 'for d in 1 2 3 4 5 6 7; do media-service schedule backfill morning --from 2026-11-0$d --to 2026-11-0$((d+1)); done',
    },
  ]).action((id: string, flags: RunFlags & { readonly from: string; readonly to: string }) =>
    show(context, flags, (connection, settings) =>
      backfillSchedule(connection, { accountId: accountIdOf(settings), id }, flags),
    ),
  );
  const test = schedule
    .command('test')
    .description(
      'Send the report of the last period to every target, marked TEST. It does not change what is due.',
    )
    .argument('<id>', 'as `schedule list` shows it');
  withWait(test, [
    { says: 'Does the mail arrive?', run: 'media-service schedule test morning' },
    {
      says: 'Which targets fail?',
      run: 'media-service schedule test morning --json 2>&1 >/dev/null | jq -r .error.message',
    },
  ]).action((id: string, flags: RunFlags) =>
    show(context, flags, (connection, settings) =>
      testSchedule(connection, { accountId: accountIdOf(settings), id }),
    ),
  );
}

function withWait(command: Command, examples: CommandHelp['examples']): Command {
  return addHelp(command.option('--no-wait', 'return as soon as the run has started'), {
    output: RESULT,
    exits: EXITS,
    examples,
  });
}

async function show(
  context: CliContext,
  flags: RunFlags,
  start: (connection: TemporalConnection, settings: Settings) => Promise<ReportRunHandle>,
): Promise<void> {
  const { terminal } = context;
  const settings = readSettings(context.env);
  const json = flags.json === true;
  await withTemporal(settings, async (connection) => {
    const handle = await start(connection, settings);
    const { workflowId, joined, need } = handle;
    const starts = (): Promise<string> => Promise.resolve('The report is sent');
    await warnWithoutWorker(terminal, connection, { need, starts, here: settings.host, json });
    if (!flags.wait) {
      return json ? terminal.json({ workflowId, joined }) : terminal.data(`${workflowId}\n`);
    }
    if (joined && !json) terminal.note(`A run is already in progress: ${workflowId}`);
    const result = await waitForReport(context, handle);
    return json
      ? terminal.json({ workflowId, joined, ...result })
      : terminal.data(reportResultText(result, handle.zone));
  });
}
